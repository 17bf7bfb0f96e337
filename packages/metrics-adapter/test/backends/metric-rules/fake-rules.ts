import type { Clock } from "@plimsoll/component-base";
import type { KubeClient } from "@plimsoll/kube";
import { type ByteStream, createByteStream, inProcessClient } from "@plimsoll/kube/testing";

/** An API server with MetricRules, or without the kind. */
export function fakeRules() {
  const items = new Map<string, object>();
  const streams = new Set<ByteStream>();
  let version = 1;
  let isInstalled = true;
  let isForbidden = false;
  return {
    forbid: (is: boolean) => void (isForbidden = is),
    uninstall: () => void (isInstalled = false),
    put(namespace: string, name: string, spec: object): void {
      version += 1;
      const key = `${namespace}/${name}`;
      const metadata = { namespace, name, uid: key, generation: version, resourceVersion: String(version) };
      const type = items.has(key) ? "MODIFIED" : "ADDED";
      const object = { metadata: { ...metadata, creationTimestamp: "2026-01-01T00:00:00Z" }, spec };
      items.set(key, object);
      for (const stream of streams) stream.write(`${JSON.stringify({ type, object })}\n`);
    },
    remove(namespace: string, name: string): void {
      const object = items.get(`${namespace}/${name}`);
      items.delete(`${namespace}/${name}`);
      for (const stream of streams) stream.write(`${JSON.stringify({ type: "DELETED", object })}\n`);
    },
    client: (clock: Clock): KubeClient =>
      inProcessClient({
        clock,
        respond: async ({ query }) => {
          if (!isInstalled) return { code: 404, body: { kind: "Status", code: 404, reason: "NotFound" } };
          if (isForbidden)
            return { code: 403, body: { kind: "Status", code: 403, reason: "Forbidden", message: "no" } };
          if (query.get("watch") === null)
            return {
              code: 200,
              body: { metadata: { resourceVersion: String(version) }, items: [...items.values()] },
            };
          const stream = createByteStream();
          streams.add(stream);
          stream.onClose(() => streams.delete(stream));
          return { code: 200, stream };
        },
      }),
  };
}
