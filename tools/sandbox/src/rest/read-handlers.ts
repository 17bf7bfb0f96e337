// GET of objects and lists.
import { badRequest, expired, notFound, StatusError } from "../errors/status-error.ts";
import type { ResourceDefinition } from "../resources/definition.ts";
import { isRecord } from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { ApiContext, ApiRequest, ObjectResponse, WatchCache } from "./api-context.ts";
import { apiVersionOf, listText, objectText } from "./object-text.ts";
import { selectionOf } from "./selection.ts";

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

export function getObject(
  context: ApiContext,
  target: Target,
  input: { readonly name: string; readonly request: ApiRequest },
): ObjectResponse {
  const { definition, namespace } = target;
  const source = sourceOf(context, input.request.query);
  const found = source.get(definition.storage, definition.namespaced ? namespace : undefined, input.name);
  if (found === undefined) throw notFound(definition, input.name);
  return served(definition, found);
}

/** The state itself, or with a resourceVersion what the cache has, if that is not older. */
function sourceOf({ store, cache }: ApiContext, query: URLSearchParams): WatchCache {
  const text = query.get("resourceVersion") ?? "";
  if (text === "") return store;
  const wanted = parseVersion(text);
  if (wanted > cache.version) throw tooLarge(wanted, cache.version);
  return cache;
}

/** A response with one stored object, in the requested version. */
export function served(
  definition: ResourceDefinition,
  object: StoredObject,
  { code = 200, warnings = [] }: { readonly code?: number; readonly warnings?: readonly string[] } = {},
): ObjectResponse {
  return {
    type: "object",
    code,
    get object() {
      return servedObject(definition, object);
    },
    text: () => objectText(definition, object),
    warnings,
    rows: { storage: definition.storage, objects: [object] },
  };
}

/** kind and apiVersion are always there, whoever wrote the object to the store. */
export function servedObject(definition: ResourceDefinition, object: StoredObject): StoredObject {
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = definition.conversion.fromStored(object);
  return { kind: definition.kind, apiVersion: apiVersionOf(definition), ...rest };
}

export function listObjects(context: ApiContext, target: Target, request: ApiRequest): ObjectResponse {
  const { definition, namespace } = target;
  const { query } = request;
  const source = listSource(context, query);
  const matches = selectionOf(definition, query);
  const from = decodeContinue(query.get("continue"));
  const version = from?.version ?? source.version;
  if (from !== undefined && context.store.eventsSince(definition.storage, from.version) === undefined) {
    throw expired(
      "The provided continue parameter is too old to display a consistent list result. " +
        "You can start a new list without the continue parameter.",
    );
  }
  const stored = source.list(definition.storage, definition.namespaced ? namespace : undefined);
  const all = (from === undefined ? stored : stored.slice(firstAfter(stored, from.after))).filter(matches);
  const limit = Number(query.get("limit") ?? 0);
  const items = limit > 0 ? all.slice(0, limit) : all;
  const last = items.at(-1);
  const remaining = all.length - items.length;
  const head = {
    kind: `${definition.kind}List`,
    apiVersion: apiVersionOf(definition),
    metadata: {
      resourceVersion: String(version),
      ...(remaining > 0 && last !== undefined
        ? { continue: encodeContinue(version, keyOf(last)), remainingItemCount: remaining }
        : {}),
    },
  };
  return {
    type: "object",
    code: 200,
    get object() {
      return { ...head, items: items.map((object) => itemOf(object, definition)) };
    },
    text: () => listText(definition, head, items),
    rows: { storage: definition.storage, objects: items },
  };
}

// Items of a built-in list carry no kind and apiVersion; those of a custom one do.
function itemOf(stored: StoredObject, definition: ResourceDefinition): StoredObject {
  const object = servedObject(definition, stored);
  if (definition.custom !== undefined) return object;
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
  return rest;
}

/**
 * Pages of a version, and what is not of any version, come from the state itself.
 * @upstream apiserver/pkg/storage/cacher/cacher.go#shouldDelegateList
 */
function listSource(context: ApiContext, query: URLSearchParams): WatchCache {
  const text = query.get("resourceVersion") ?? "";
  const isExact = query.get("resourceVersionMatch") === "Exact";
  const isPage =
    (query.get("continue") ?? "") !== "" || (Number(query.get("limit") ?? 0) > 0 && text !== "0");
  if (text === "" || text === "0" || !(isExact || isPage))
    return isPage ? context.store : sourceOf(context, query);
  const { store } = context;
  const wanted = parseVersion(text);
  if (wanted > store.version) throw tooLarge(wanted, store.version);
  if (isExact && wanted !== store.version) {
    throw expired(`The resourceVersion for the provided list is too old.`);
  }
  return store;
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
