import { type CacheMeter, createComputedCache } from "@plimsoll/component-base";
import { SelectorError } from "@plimsoll/core/selector";
import { parseFieldSelector } from "@plimsoll/kube";

/** What is requested, read from the method and target of a request as kube-apiserver reads them. */
export interface RequestInfo {
  readonly method: string;
  /** Decoded, without query and without a trailing slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** As RBAC names it: get, list, watch, create, update, patch or delete; for other paths the method in lower case. */
  readonly verb: string;
  /** Set when the path lies below /apis/GROUP/VERSION. */
  readonly resource: ResourceRequest | undefined;
  /** GROUP and VERSION of /apis/GROUP/VERSION[/…], else undefined. */
  readonly groupVersion: { readonly group: string; readonly version: string } | undefined;
}

/** @upstream staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go#NewRequestInfo */
export interface ResourceRequest {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  readonly resource: string;
  /** Of a list: the one name that its field selector admits. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** Everything behind the version, for the router. */
  readonly segments: readonly string[];
}

export type RequestInfoResult =
  | { readonly ok: true; readonly info: RequestInfo }
  | { readonly ok: false; readonly message: string };

/** Reads requests; the same request mostly gives the same object, as callers repeat theirs all the time. */
export function createRequestReader(
  meter?: CacheMeter,
): (method: string, target: string) => RequestInfoResult {
  const known = createComputedCache<string, RequestInfoResult>({
    name: "requests",
    meter,
    // Enough for 10,000 autoscalers with two metrics each.
    maxBytes: 32 * 1024 * 1024,
    // The object with its query and its segments, each of which refers to the target; measured.
    sizeOf: () => 1_024,
  });
  return (method, target) => known.get(target, method, (own) => parseRequestInfo(method, own));
}

/**
 * The target is taken apart by hand: the URL class would resolve dot segments, and then what is authorized
 * and what is routed could differ from what the caller and an intermediary saw.
 */
export function parseRequestInfo(method: string, target: string): RequestInfoResult {
  // Routers cut a fragment off, so that what is authorized and what is routed could differ.
  if (target.includes("#")) return { ok: false, message: "the request target must not have a fragment" };
  const queryAt = target.indexOf("?");
  const rawPath = queryAt < 0 ? target : target.slice(0, queryAt);
  if (!rawPath.startsWith("/")) return { ok: false, message: "the request target must be an absolute path" };
  const decoded = decodePath(rawPath);
  if (decoded === undefined)
    return { ok: false, message: "the request path is not valid percent-encoded UTF-8" };
  if (/(^|\/)\.\.?(\/|$)/.test(decoded))
    return { ok: false, message: "the request path must not contain dot segments" };
  const path = decoded.length > 1 && decoded.endsWith("/") ? decoded.slice(0, -1) : decoded;
  const query = new URLSearchParams(queryAt < 0 ? "" : target.slice(queryAt + 1));
  const parts = path.split("/").slice(1);
  const [prefix, group, version, ...segments] = parts;
  const groupVersion =
    prefix === "apis" && group !== undefined && version !== undefined ? { group, version } : undefined;
  const inPath = groupVersion && parseResource(groupVersion, segments);
  const verb = verbOf(method, inPath, query);
  const resource = inPath && selectsByName(inPath, verb) ? withSelectedName(inPath, query) : inPath;
  return { ok: true, info: { method, path, query, verb, resource, groupVersion } };
}

function decodePath(rawPath: string): string | undefined {
  if (!rawPath.includes("%")) return hasControlCharacter(rawPath) ? undefined : rawPath;
  try {
    const path = decodeURIComponent(rawPath);
    return hasControlCharacter(path) ? undefined : path;
  } catch {
    return undefined;
  }
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

function parseResource(
  groupVersion: { readonly group: string; readonly version: string },
  segments: readonly string[],
): ResourceRequest | undefined {
  const [first, second] = segments;
  if (first === undefined) return undefined;
  const inNamespace = first === "namespaces" && second !== undefined;
  const rest = inNamespace && segments.length > 2 ? segments.slice(2) : segments;
  return {
    ...groupVersion,
    namespace: inNamespace ? second : undefined,
    resource: rest[0] ?? first,
    name: rest[1],
    subresource: rest[2],
    segments,
  };
}

/** Only where the selector is followed: on other APIs a right to read one name would become a right to read all. */
function selectsByName({ group }: ResourceRequest, verb: string): boolean {
  return group === "metrics.k8s.io" && (verb === "list" || verb === "watch");
}

/** @upstream staging/src/k8s.io/apiserver/pkg/endpoints/request/requestinfo.go#NewRequestInfo */
function withSelectedName(resource: ResourceRequest, query: URLSearchParams): ResourceRequest {
  try {
    const { requirements } = parseFieldSelector(query.get("fieldSelector") ?? "");
    const named = requirements.find(({ field, operator }) => field === "metadata.name" && operator === "=");
    const name = named?.value ?? "";
    return name === "" || /^\.{1,2}$|[/%]/.test(name) || hasControlCharacter(name)
      ? resource
      : { ...resource, name };
  } catch (error) {
    if (error instanceof SelectorError) return resource;
    throw error;
  }
}

function verbOf(method: string, resource: ResourceRequest | undefined, query: URLSearchParams): string {
  if (resource === undefined) return method.toLowerCase();
  switch (method) {
    case "GET":
    case "HEAD":
      if (resource.name !== undefined) return "get";
      return isWatch(query.get("watch")) ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return resource.name === undefined ? "deletecollection" : "delete";
    default:
      return method.toLowerCase();
  }
}

/**
 * Every value but these counts, also none.
 * @upstream apimachinery/pkg/runtime/conversion.go#Convert_Slice_string_To_bool
 */
function isWatch(value: string | null): boolean {
  return value !== null && value !== "0" && value.toLowerCase() !== "false";
}

/** strconv.ParseBool's true values; anything else counts as false. */
export function isTrue(value: string | null): boolean {
  return value === "1" || value === "t" || value === "T" || /^true$/i.test(value ?? "");
}
