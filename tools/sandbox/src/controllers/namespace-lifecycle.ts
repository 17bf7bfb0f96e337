// The namespace controller.
import type { ApiContext } from "../rest/api-context.ts";
import { backgroundDeletion, removeObject } from "../rest/delete-handlers.ts";
import { changeStored } from "../rest/write-handlers.ts";
import type { StoredObject } from "../storage/stored-object.ts";

/** Gives every namespace what it starts with, and empties a namespace that is being deleted before it goes. */
export function startNamespaceLifecycle(context: ApiContext, input: { caPem: string }): () => void {
  const { store, registry } = context;
  const definition = registry.byStorage("namespaces");
  if (definition === undefined) return () => {};

  const contents = (namespace: string): number => {
    let left = 0;
    const seen = new Set<string>();
    for (const one of registry.all()) {
      if (!one.namespaced || seen.has(one.storage)) continue;
      seen.add(one.storage);
      for (const object of store.list(one.storage, namespace)) {
        if (object.metadata.deletionTimestamp === undefined) {
          removeObject(context, one, { current: object, options: backgroundDeletion });
        }
        if (store.get(one.storage, namespace, object.metadata.name) !== undefined) left += 1;
      }
    }
    return left;
  };

  const emptying = new Set<string>();
  const finish = (name: string): void => {
    // Removing content publishes events that lead here again.
    if (emptying.has(name)) return;
    emptying.add(name);
    const left = contents(name);
    emptying.delete(name);
    const current = store.get("namespaces", undefined, name);
    if (left > 0 || current === undefined) return;
    changeStored(context, definition, { current, change: (object) => void (object.spec = {}) });
  };

  const terminating = (name: string | undefined): boolean =>
    name !== undefined && store.get("namespaces", undefined, name)?.metadata.deletionTimestamp !== undefined;

  const unsubscribe = store.subscribe((event) => {
    const { name, namespace } = event.object.metadata;
    if (event.resource === "namespaces") {
      if (event.type === "ADDED") furnish(context, event.object, input.caPem);
      else if (event.type === "MODIFIED" && terminating(name)) finish(name);
    } else if (event.type === "DELETED" && namespace !== undefined && terminating(namespace))
      finish(namespace);
  });
  for (const namespace of store.list("namespaces")) {
    if (terminating(namespace.metadata.name)) finish(namespace.metadata.name);
    else furnish(context, namespace, input.caPem);
  }
  return unsubscribe;
}

function furnish({ store }: ApiContext, namespace: StoredObject, caPem: string): void {
  const name = namespace.metadata.name;
  if (store.get("serviceaccounts", name, "default") === undefined) {
    store.create("serviceaccounts", { metadata: { name: "default", namespace: name } });
  }
  if (store.get("configmaps", name, "kube-root-ca.crt") === undefined) {
    store.create("configmaps", {
      metadata: { name: "kube-root-ca.crt", namespace: name },
      data: { "ca.crt": caPem },
    });
  }
}
