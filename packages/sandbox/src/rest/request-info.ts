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
export function parseRequest(method: string, url: URL): RequestInfo {
  const path = url.pathname;
  const verb = verbs[method] ?? method.toLowerCase();
  const steps = path.split("/").filter((step) => step !== "");
  const legacy = steps[0] === "api";
  const prefix = legacy ? 2 : 3;
  if ((!legacy && steps[0] !== "apis") || steps.length <= prefix) {
    return { isResource: false, verb: method.toLowerCase(), path };
  }
  const group = legacy ? "" : (steps[1] ?? "");
  const version = steps[prefix - 1] ?? "";
  let rest = steps.slice(prefix).map(decode);
  let watching = url.searchParams.get("watch") === "true" || url.searchParams.get("watch") === "1";
  if (rest[0] === "watch") {
    watching = true;
    rest = rest.slice(1);
  }
  let namespace: string | undefined;
  // /namespaces/NAME itself, and its own subresources, are about the namespace object.
  const own = rest.length <= 2 || rest[2] === "status" || rest[2] === "finalize";
  if (rest[0] === "namespaces" && !(legacy && own)) {
    namespace = rest[1];
    rest = rest.slice(2);
  } else if (rest[0] === "namespaces") namespace = rest[1];
  const [resource = "", name, subresource, ...behind] = rest;
  return {
    isResource: true,
    verb: refine(verb, name !== undefined, watching),
    group,
    version,
    resource,
    namespace,
    name,
    subresource,
    rest: behind,
  };
}

function refine(verb: string, named: boolean, watching: boolean): string {
  if (verb === "get" && watching) return "watch";
  if (verb === "get" && !named) return "list";
  if (verb === "delete" && !named) return "deletecollection";
  return verb;
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
