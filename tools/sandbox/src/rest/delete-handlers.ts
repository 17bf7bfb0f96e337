// DELETE of objects and of collections, with grace periods, propagation and finalizers.
import { badRequest, conflict, forbidden } from "../errors/status-error.ts";
import type { ResourceDefinition } from "../resources/definition.ts";
import { isRecord, type JsonRecord, numberAt, recordAt, stringAt } from "../storage/json-value.ts";
import { timestamp } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ApiContext, ApiRequest, ObjectResponse } from "./api-context.ts";
import { currentObject, listObjects, served, type Target } from "./read-handlers.ts";
import { decodeObject } from "./request-body.ts";
import { selectionOf } from "./selection.ts";
import { changeStored } from "./write-handlers.ts";

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: "Background" | "Foreground" | "Orphan";
  readonly dryRun: boolean;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

const immortalNamespaces = new Set(["default", "kube-system", "kube-public"]);

export const backgroundDeletion: DeleteOptions = {
  gracePeriodSeconds: undefined,
  propagation: "Background",
  dryRun: false,
  uid: undefined,
  resourceVersion: undefined,
};

// The garbage collector of the workloads takes these off when it has done its part.
const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

export function deleteObject(
  context: ApiContext,
  target: Target,
  input: { name: string; request: ApiRequest },
): ObjectResponse {
  const { definition } = target;
  const current = currentObject(context, target, input.name);
  const options = deleteOptions(input.request);
  if (definition.storage === "namespaces" && immortalNamespaces.has(input.name)) {
    throw forbidden(definition, input.name, "this namespace may not be deleted");
  }
  if (options.uid !== undefined && options.uid !== current.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${options.uid}, UID in object meta: ${current.metadata.uid ?? ""}`;
    throw conflict(definition, input.name, why);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== current.metadata.resourceVersion) {
    throw conflict(definition, input.name);
  }
  const left = options.dryRun ? undefined : removeObject(context, definition, { current, options });
  if (left !== undefined) return served(definition, left);
  const { uid, name } = current.metadata;
  return {
    type: "object",
    code: 200,
    object: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: {
        name,
        ...(definition.group === "" ? {} : { group: definition.group }),
        kind: definition.resource,
        uid,
      },
    },
  };
}

export function deleteCollection(context: ApiContext, target: Target, request: ApiRequest): ObjectResponse {
  const { definition, namespace } = target;
  const matches = selectionOf(definition, request.query);
  const options = deleteOptions(request);
  const deleted = listObjects(context, target, request);
  if (options.dryRun) return deleted;
  for (const object of context.store.list(definition.storage, namespace).filter(matches)) {
    removeObject(context, definition, { current: object, options });
  }
  return deleted;
}

/**
 * Starts a deletion and finishes it when nothing holds it back. The response is what is left for now: an object
 * that waits for its finalizers, or a pod that ends gracefully.
 */
export function removeObject(
  context: ApiContext,
  definition: ResourceDefinition,
  input: { current: StoredObject; options: DeleteOptions },
): StoredObject | undefined {
  const { current } = input;
  const grace = graceSeconds(context, definition, input);
  const finalizers = finalizersOf(context, definition, input);
  if (finalizers.length === 0 && grace === 0 && !isRecordWithFinalizers(definition, current)) {
    context.store.delete(definition.storage, current.metadata.namespace, current.metadata.name);
    return undefined;
  }
  const before = current.metadata.deletionGracePeriodSeconds;
  // A second request can shorten the wait, never lengthen it.
  const shortened = before === undefined ? grace : Math.min(before, grace);
  changeStored(context, definition, {
    current,
    change(object) {
      object.metadata.deletionTimestamp ??= timestamp(context.clock.nowMs() + grace * 1000);
      object.metadata.deletionGracePeriodSeconds = shortened;
      if (finalizers.length > 0) object.metadata.finalizers = [...finalizers];
      if (definition.storage === "namespaces")
        object.status = { ...recordAt(object, "status"), phase: "Terminating" };
    },
  });
  return context.store.get(definition.storage, current.metadata.namespace, current.metadata.name);
}

// A namespace is held back by spec.finalizers until its content is gone.
function isRecordWithFinalizers(definition: ResourceDefinition, current: StoredObject): boolean {
  const finalizers: unknown = recordAt(current, "spec")?.["finalizers"];
  return definition.storage === "namespaces" && Array.isArray(finalizers) && finalizers.length > 0;
}

function graceSeconds(
  context: ApiContext,
  definition: ResourceDefinition,
  input: { current: StoredObject; options: DeleteOptions },
): number {
  if (definition.storage !== "pods" || !context.controllersRun) return 0;
  const { current, options } = input;
  const phase = stringAt(current, "status", "phase");
  // A pod that never reached a node, or is over, has nothing to shut down.
  if (!stringAt(current, "spec", "nodeName") || phase === "Succeeded" || phase === "Failed") return 0;
  return options.gracePeriodSeconds ?? numberAt(current, "spec", "terminationGracePeriodSeconds") ?? 30;
}

function finalizersOf(
  context: ApiContext,
  definition: ResourceDefinition,
  { current, options }: { current: StoredObject; options: DeleteOptions },
): readonly string[] {
  const own = (current.metadata.finalizers ?? []).filter(
    (one) => one !== orphanFinalizer && one !== foregroundFinalizer,
  );
  if (definition.storage === "pods" || !context.controllersRun) return own;
  if (options.propagation === "Orphan") return [...own, orphanFinalizer];
  return options.propagation === "Foreground" ? [...own, foregroundFinalizer] : own;
}

function deleteOptions(request: ApiRequest): DeleteOptions {
  const body: JsonRecord =
    request.body.length === 0 ? {} : decodeObject(request.body, request.headers["content-type"]);
  const { query } = request;
  const propagation = stringAt(body, "propagationPolicy") ?? query.get("propagationPolicy") ?? "Background";
  const orphans = body["orphanDependents"] === true || query.get("orphanDependents") === "true";
  if (propagation !== "Background" && propagation !== "Foreground" && propagation !== "Orphan") {
    throw badRequest(`invalid propagationPolicy ${JSON.stringify(propagation)}`);
  }
  const dryRun = Array.isArray(body["dryRun"]) ? body["dryRun"].includes("All") : false;
  const seconds = query.get("gracePeriodSeconds");
  const preconditions = isRecord(body["preconditions"]) ? body["preconditions"] : {};
  return {
    gracePeriodSeconds:
      numberAt(body, "gracePeriodSeconds") ?? (seconds === null ? undefined : Number(seconds)),
    propagation: orphans ? "Orphan" : propagation,
    dryRun: dryRun || query.getAll("dryRun").includes("All"),
    uid: stringAt(preconditions, "uid"),
    resourceVersion: stringAt(preconditions, "resourceVersion"),
  };
}
