// The route of a request that belongs to another adapter.
import type { FederatedGroup, Federation, MemberBackend, MetricTarget } from "@plimsoll/federation";
import { watchNotSupported } from "../api/failure.ts";
import { failed, type Reply } from "../api/reply.ts";
import { isTrue, type RequestInfo, type ResourceRequest } from "../api/request-info.ts";
import type { Route, RouteRequest } from "./route.ts";

/** What routing needs of other adapters. */
export type FederatedOwners = Pick<Federation, "groups" | "ownerOf" | "handOn">;

/** Undefined: the request is ours, or of no adapter. */
export function createFederatedRouter(federation: FederatedOwners): (info: RequestInfo) => Route | undefined {
  return ({ resource, query }) => {
    if (resource === undefined || !isFederated(federation, resource.group)) return undefined;
    const { group, version, segments } = resource;
    const owner = federation.ownerOf({ group, version, segments, query });
    if (owner.type === "own" || owner.target === undefined) return undefined;
    if (owner.type === "backend") return handOnRoute(federation, owner.backend, owner.target);
    return owner.unread.length === 0 ? undefined : unreadRoute(owner.unread, owner.target);
  };
}

function isFederated({ groups }: FederatedOwners, group: string): group is FederatedGroup {
  return groups.has(group as FederatedGroup);
}

function handOnRoute(federation: FederatedOwners, backend: MemberBackend, target: MetricTarget): Route {
  return {
    ...routeOf(target),
    kind: "federated",
    run: async (request) => {
      const { resource, verb, query } = request.info;
      if (resource === undefined) throw new Error("a metric has a resource");
      if (verb === "watch" || isTrue(query.get("watch"))) return failed(watchNotSupported(target.group, "*"));
      return replyOf(await federation.handOn(backend, target, federatedRequest(resource, request, target)));
    },
  };
}

function federatedRequest(
  { version, segments }: ResourceRequest,
  request: RouteRequest,
  { group }: MetricTarget,
) {
  const { info, auditId, isHandedOn } = request;
  return { group, version, segments, query: info.query, auditId, isHandedOn, signal: request.signal() };
}

function replyOf(result: Awaited<ReturnType<Federation["handOn"]>>): Reply {
  if (!result.ok) return failed({ reason: "ServiceUnavailable", message: result.message });
  const { code: httpCode, contentType, body, retryAfter } = result;
  const headers = retryAfter === undefined ? {} : { "Retry-After": retryAfter };
  return { type: "handed-on", httpCode, contentType, body, headers };
}

/** The metric may not exist, or may belong to a later backend. */
function unreadRoute(unread: readonly MemberBackend[], target: MetricTarget): Route {
  const owners = unread.map(
    ({ config, discovery }) => `${config.name} (${discovery.problem() ?? "unknown"})`,
  );
  const message = `the metric ${target.metric} may belong to backend ${owners.join(" or ")}, whose metrics haven't been listed yet`;
  return {
    ...routeOf(target),
    kind: "metrics",
    run: () => failed({ reason: "ServiceUnavailable", message }),
  };
}

function routeOf({ group }: MetricTarget): Pick<Route, "api" | "conversions" | "cache"> {
  return {
    api: group === "custom.metrics.k8s.io" ? "custom" : "external",
    conversions: [],
    cache: undefined,
  };
}
