// POST, PUT and PATCH of objects.
import { checkEscalation } from "../auth/escalation.ts";
import { rbacGroup } from "../auth/rbac.ts";
import { badRequest, forbidden, notFound, StatusError } from "../errors/status-error.ts";
import type { ResourceDefinition } from "../resources/definition.ts";
import { type ApiObject, thaw } from "../storage/api-object.ts";
import { stringAt } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ApiContext, ApiRequest, ObjectResponse } from "./api-context.ts";
import { validateFields, validatePatched } from "./field-validation.ts";
import { asApiObject, place } from "./object-metadata.ts";
import { patchedObject } from "./patch-request.ts";
import { currentObject, served, servedObject, type Target } from "./read-handlers.ts";
import { decodeObject } from "./request-body.ts";
import { type Part, storeChanged, storeNew, type WriteOptions, writeOptions } from "./write-object.ts";

export function createObject(context: ApiContext, target: Target, request: ApiRequest): ObjectResponse {
  const { definition, namespace } = target;
  const object = asApiObject(decodeObject(request.body, request.headers["content-type"]), definition);
  const warnings = validateFields(object, definition, request);
  place(object, definition, { namespace });
  const { metadata } = object;
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== "") {
    throw badRequest("resourceVersion should not be set on objects to be created");
  }
  const { generateName: prefix } = metadata;
  if (!metadata.name && prefix) metadata.name = prefix + context.nameSuffix(prefix);
  checkRights(context, target, { request, object });
  const options = writeOptions(context, definition, request);
  return createAt(context, target, { object, options, warnings });
}

export function createAt(
  context: ApiContext,
  target: Target,
  input: { object: ApiObject; options: WriteOptions; warnings?: readonly string[] },
): ObjectResponse {
  const { definition } = target;
  requireNamespace(context, target, input.object.metadata.name);
  return served(definition, storeNew(context, definition, input), {
    code: 201,
    warnings: input.warnings ?? [],
  });
}

export function updateObject(
  context: ApiContext,
  target: Target,
  input: { name: string; part: Part; request: ApiRequest },
): ObjectResponse {
  const { definition, namespace } = target;
  const { name, part, request } = input;
  const object = asApiObject(decodeObject(request.body, request.headers["content-type"]), definition);
  const warnings = validateFields(object, definition, request);
  place(object, definition, { namespace, name });
  const current = currentObject(context, target, name);
  checkRights(context, target, { request, object, name, current });
  const options = writeOptions(context, definition, request, part === "status" ? "status" : "");
  const changed = storeChanged(context, definition, { current, object, part, options });
  return served(definition, changed, { warnings });
}

/** PATCH of an object or of its status: JSON, merge and strategic merge patches, and server-side apply. */
export function patchObject(
  context: ApiContext,
  target: Target,
  input: { name: string; part: Part; request: ApiRequest },
): ObjectResponse {
  const { definition, namespace } = target;
  const { name, part, request } = input;
  const options = writeOptions(context, definition, request, part === "status" ? "status" : "");
  const stored = context.store.get(definition.storage, definition.namespaced ? namespace : undefined, name);
  const current = stored === undefined ? undefined : servedObject(definition, stored);
  const patched = patchedObject({ definition, current, name, request, options });
  const { patch, applied } = patched;
  const warnings = applied ? [] : validatePatched(patched.object, definition, { request, patch });
  place(patched.object, definition, { namespace, name });
  checkRights(context, target, { request, object: patched.object, name, current: stored });
  const write = { object: patched.object, options: { ...options, keepManagedFields: applied } };
  if (stored === undefined) {
    if (part === "status") throw notFound(definition, name);
    return createAt(context, target, write);
  }
  const changed = storeChanged(context, definition, { ...write, current: stored, part });
  return served(definition, changed, { warnings });
}

interface RightsInput {
  readonly request: ApiRequest;
  readonly object: ApiObject;
  /** Of the path. */
  readonly name?: string;
  readonly current?: StoredObject | undefined;
}

/** What depends on the object: roles and bindings give no more than their writer has, and a PATCH creates with the right to. */
function checkRights(context: ApiContext, { definition, namespace = "" }: Target, input: RightsInput): void {
  const { authorize, rbac } = context;
  const { request, object, name = "", current } = input;
  const { user } = request;
  if (rbac === undefined) return;
  const { group, version, resource } = definition;
  if (name !== "" && current === undefined) {
    const asked = { group, version, resource, subresource: "", namespace, name };
    const { allowed, reason = "" } = authorize({ user, verb: "create", resource: asked });
    if (!allowed) throw forbidden(definition, name, reason);
  }
  if (group !== rbacGroup) return;
  checkEscalation({ user, resource, namespace, pathName: name, object, current }, rbac, authorize);
}

export function requireNamespace(context: ApiContext, target: Target, name: string): void {
  const { definition, namespace } = target;
  if (!definition.namespaced) return;
  if (namespace === undefined) throw badRequest("the namespace of the object must be in the URL");
  const found = context.store.get("namespaces", undefined, namespace);
  if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
  if (stringAt(found, "status", "phase") === "Terminating") {
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(definition, name, why);
  }
}

/** An object for internal changes: read, change, store, as the server itself and without a request. */
export function changeStored(
  context: ApiContext,
  definition: ResourceDefinition,
  input: { current: StoredObject; change: (object: ApiObject) => void },
): StoredObject {
  const next = thaw(input.current);
  input.change(next);
  try {
    return context.store.update(definition.storage, next);
  } catch (error) {
    throw new StatusError({ code: 409, reason: "Conflict", message: String(error) });
  }
}
