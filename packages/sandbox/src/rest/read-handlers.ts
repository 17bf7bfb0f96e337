// GET of objects and lists.
import type { ResourceDefinition } from "../resources/definition.ts";
import { isRecord } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ApiContext, ApiRequest, ObjectResponse } from "./api-context.ts";
import { selectionOf } from "./selection.ts";
import { badRequest, expired, notFound, StatusError } from "./status-error.ts";

export interface Target {
  readonly definition: ResourceDefinition;
  readonly namespace: string | undefined;
}

export function currentObject(context: ApiContext, target: Target, name: string): StoredObject {
  const { definition, namespace } = target;
  const found = context.store.get(definition.storage, definition.namespaced ? namespace : undefined, name);
  if (found === undefined) throw notFound(definition, name);
  return found;
}

export function getObject(context: ApiContext, target: Target, name: string): ObjectResponse {
  return served(target.definition, currentObject(context, target, name));
}

/** A response with one stored object, in the requested version. */
export function served(definition: ResourceDefinition, object: StoredObject, code = 200): ObjectResponse {
  return {
    type: "object",
    code,
    object: servedObject(definition, object),
    rows: { storage: definition.storage, objects: [object] },
  };
}

/** kind and apiVersion are always there, whoever wrote the object to the store. */
export function servedObject(definition: ResourceDefinition, object: StoredObject): StoredObject {
  const converted = definition.conversion.fromStored(object);
  const apiVersion =
    definition.group === "" ? definition.version : `${definition.group}/${definition.version}`;
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = converted;
  return { kind: definition.kind, apiVersion, ...rest };
}

export function listObjects(context: ApiContext, target: Target, request: ApiRequest): ObjectResponse {
  const { definition, namespace } = target;
  const { query } = request;
  checkVersion(context, query);
  const matches = selectionOf(definition, query);
  const from = decodeContinue(query.get("continue"));
  const version = from?.version ?? context.store.version;
  if (from !== undefined && context.store.eventsSince(definition.storage, from.version) === undefined) {
    throw expired(
      "The provided continue parameter is too old to display a consistent list result. " +
        "You can start a new list without the continue parameter.",
    );
  }
  const stored = context.store.list(definition.storage, definition.namespaced ? namespace : undefined);
  const all = (from === undefined ? stored : stored.slice(firstAfter(stored, from.after))).filter(matches);
  const limit = Number(query.get("limit") ?? 0);
  const items = limit > 0 ? all.slice(0, limit) : all;
  const last = items.at(-1);
  const remaining = all.length - items.length;
  return {
    type: "object",
    code: 200,
    object: {
      kind: `${definition.kind}List`,
      apiVersion: definition.group === "" ? definition.version : `${definition.group}/${definition.version}`,
      metadata: {
        resourceVersion: String(version),
        ...(remaining > 0 && last !== undefined
          ? { continue: encodeContinue(version, keyOf(last)), remainingItemCount: remaining }
          : {}),
      },
      items: items.map((object) => withoutType(servedObject(definition, object), definition)),
    },
    rows: { storage: definition.storage, objects: items },
  };
}

// Items of a built-in list carry no kind and apiVersion; those of a custom one do.
function withoutType(object: StoredObject, definition: ResourceDefinition): StoredObject {
  if (definition.custom !== undefined) return object;
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return rest;
}

function checkVersion(context: ApiContext, query: URLSearchParams): void {
  const text = query.get("resourceVersion") ?? "";
  if (text === "" || text === "0") return;
  const wanted = parseVersion(text);
  if (wanted > context.store.version) throw tooLarge(wanted, context.store.version);
  if (query.get("resourceVersionMatch") === "Exact" && wanted !== context.store.version) {
    throw expired(`The resourceVersion for the provided list is too old.`);
  }
}

export function tooLarge(wanted: number, current: number): StatusError {
  return new StatusError({
    code: 504,
    reason: "Timeout",
    message: `Timeout: Too large resource version: ${wanted}, current: ${current}`,
    details: {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      retryAfterSeconds: 1,
    },
  });
}

export function parseVersion(text: string): number {
  if (!/^\d+$/.test(text)) throw badRequest(`invalid resource version ${JSON.stringify(text)}`);
  return Number(text);
}

/** Position of the first object behind this key, in a list that is sorted by key. */
function firstAfter(objects: readonly StoredObject[], after: string): number {
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const object = objects[middle];
    if (object !== undefined && keyOf(object) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}

function keyOf(object: StoredObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}

function encodeContinue(version: number, after: string): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: version, start: after })).toString(
    "base64url",
  );
}

function decodeContinue(token: string | null): { version: number; after: string } | undefined {
  if (token === null || token === "") return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    if (isRecord(value)) return { version: Number(value["rv"]), after: String(value["start"]) };
  } catch {
    // Falls through to the one message there is for a bad token.
  }
  throw badRequest("continue key is not valid");
}
