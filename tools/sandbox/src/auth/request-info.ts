// Reads verb, resource and subresource from a request's path and method.

/** What a URL path and method mean, in the words of authorization. */
export type RequestInfo = ResourceRequest | PathRequest;

export interface ResourceRequest {
  readonly isResource: true;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** The only name that the field selector of a list or watch allows. */
  readonly selectedName: string | undefined;
  /** As of old, the path begins with "watch". */
  readonly isWatchPath: boolean;
  /** Path steps behind the subresource, as `proxy` has. */
  readonly rest: readonly string[];
}

export interface PathRequest {
  readonly isResource: false;
  readonly verb: string;
  readonly path: string;
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
  GET: "get",
  HEAD: "get",
};

/** @upstream apiserver/pkg/endpoints/request/requestinfo.go#NewRequestInfo */
export function parseRequest(
  method: string,
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
): RequestInfo {
  const verb = verbs[method] ?? method.toLowerCase();
  const steps = path.split("/").filter((step) => step !== "");
  const legacy = steps[0] === "api";
  const prefix = legacy ? 2 : 3;
  if ((!legacy && steps[0] !== "apis") || steps.length <= prefix) {
    return { isResource: false, verb: method.toLowerCase(), path };
  }
  const group = legacy ? "" : (steps[1] ?? "");
  const version = steps[prefix - 1] ?? "";
  const all = steps.slice(prefix).map(decode);
  const byPath = all[0] === "watch";
  const watching = byPath || ["true", "1"].includes(query.get("watch") ?? "");
  const place = placeOf(byPath ? all.slice(1) : all, legacy);
  const refined = refine(verb, place.name !== undefined, watching);
  const isList = refined === "list" || refined === "watch";
  return {
    isResource: true,
    verb: refined,
    group,
    version,
    ...place,
    selectedName: isList && place.name === undefined ? selectedName(query) : undefined,
    isWatchPath: byPath,
  };
}

function selectedName(query: URLSearchParams): string | undefined {
  const terms = (query.get("fieldSelector") ?? "").split(",");
  const name = terms
    .map((term) => /^\s*metadata\.name==?(.*)$/.exec(term)?.[1])
    .find((one) => one !== undefined);
  // What is no segment of a path names no object.
  return name === undefined || name === "." || name === ".." || /[/%]/.test(name) ? undefined : name;
}

function placeOf(
  steps: readonly string[],
  legacy: boolean,
): Pick<ResourceRequest, "namespace" | "resource" | "name" | "subresource" | "rest"> {
  const namespace = steps[0] === "namespaces" ? steps[1] : undefined;
  // /namespaces/NAME itself, and its own subresources, are about the namespace object.
  const own = legacy && (steps.length <= 2 || steps[2] === "status" || steps[2] === "finalize");
  const behindNamespace = steps[0] === "namespaces" && !own ? steps.slice(2) : steps;
  const [resource = "", name, subresource, ...rest] = behindNamespace;
  return { namespace, resource, name, subresource, rest };
}

function refine(verb: string, named: boolean, watching: boolean): string {
  if (verb === "get" && watching) return "watch";
  if (verb === "get" && !named) return "list";
  if (verb === "delete" && !named) return "deletecollection";
  return verb;
}

function decode(step: string): string {
  if (!step.includes("%")) return step;
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
