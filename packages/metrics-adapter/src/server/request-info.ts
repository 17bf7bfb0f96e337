import { createMemo } from "../memo.ts";

/** What a request asks for, read from its method and target in the way that kube-apiserver reads them. */
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
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** Everything behind the version, for the router. */
  readonly segments: readonly string[];
}

export type RequestInfoResult =
  | { readonly ok: true; readonly info: RequestInfo }
  | { readonly ok: false; readonly message: string };

/** Reads requests; the same request mostly gives the same object, as callers ask the same again and again. */
export function createRequestReader(): (method: string, target: string) => RequestInfoResult {
  const known = createMemo<string, RequestInfoResult>({ most: 4_096 });
  return (method, target) => known.get(target, method, () => parseRequestInfo(method, target));
}

/**
 * The target is taken apart by hand: the URL class would resolve dot segments, and then what is authorised
 * and what is routed could differ from what the caller and an intermediary saw.
 */
export function parseRequestInfo(method: string, target: string): RequestInfoResult {
  const queryAt = target.indexOf("?");
  const rawPath = queryAt < 0 ? target : target.slice(0, queryAt);
  if (!rawPath.startsWith("/")) {
    return { ok: false, message: "the request target must be an absolute path" };
  }
  const decoded = decodePath(rawPath);
  if (decoded === undefined) {
    return { ok: false, message: "the request path is not valid percent-encoded UTF-8" };
  }
  if (/(^|\/)\.\.?(\/|$)/.test(decoded)) {
    return { ok: false, message: "the request path must not contain dot segments" };
  }
  const path = decoded.length > 1 && decoded.endsWith("/") ? decoded.slice(0, -1) : decoded;
  const query = new URLSearchParams(queryAt < 0 ? "" : target.slice(queryAt + 1));
  const parts = path.split("/").slice(1);
  const [prefix, group, version, ...segments] = parts;
  const groupVersion =
    prefix === "apis" && group !== undefined && version !== undefined ? { group, version } : undefined;
  const resource = groupVersion === undefined ? undefined : parseResource(groupVersion, segments);
  return {
    ok: true,
    info: { method, path, query, verb: verbOf(method, resource, query), resource, groupVersion },
  };
}

function decodePath(rawPath: string): string | undefined {
  if (!rawPath.includes("%")) {
    return hasControlCharacter(rawPath) ? undefined : rawPath;
  }
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
    if (code < 0x20 || code === 0x7f) {
      return true;
    }
  }
  return false;
}

function parseResource(
  groupVersion: { readonly group: string; readonly version: string },
  segments: readonly string[],
): ResourceRequest | undefined {
  const [first, second] = segments;
  if (first === undefined) {
    return undefined;
  }
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

function verbOf(method: string, resource: ResourceRequest | undefined, query: URLSearchParams): string {
  if (resource === undefined) {
    return method.toLowerCase();
  }
  switch (method) {
    case "GET":
    case "HEAD":
      if (resource.name !== undefined) {
        return "get";
      }
      return isTrue(query.get("watch")) ? "watch" : "list";
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

/** strconv.ParseBool's true values; anything else counts as false. */
export function isTrue(value: string | null): boolean {
  return value === "1" || value === "t" || value === "T" || /^true$/i.test(value ?? "");
}
