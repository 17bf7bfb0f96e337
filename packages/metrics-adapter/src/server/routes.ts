import { customMetrics } from "../apis/custom.ts";
import { externalMetrics } from "../apis/external.ts";
import { failed, type Reply } from "../apis/reply.ts";
import { resourceMetrics } from "../apis/resource.ts";
import { aggregatedConversions, createAggregatedDiscovery } from "../discovery/aggregated.ts";
import { apiGroup, apiGroupList } from "../discovery/groups.ts";
import {
  customGroup,
  externalGroup,
  resourceGroup,
  resourceList,
  servedGroupVersions,
} from "../discovery/resources.ts";
import { perProviders } from "../discovery/served.ts";
import type { Engine } from "../provider/provider.ts";
import type { ApiName } from "./exchange.ts";
import { routeNotFound } from "./failure.ts";
import type { Lane } from "./lanes.ts";
import { type Conversion, tableConversions } from "./negotiate.ts";
import type { RequestInfo } from "./request-info.ts";

export interface Route {
  readonly api: ApiName;
  readonly lane: Lane;
  readonly conversions: readonly Conversion[];
  run(request: RouteRequest): Promise<Reply> | Reply;
}

export interface RouteRequest {
  readonly info: RequestInfo;
  readonly conversion: Conversion | undefined;
  readonly ifNoneMatch: string | undefined;
  readonly signal: AbortSignal;
}

export interface RouterOptions {
  readonly engine: Engine;
  readonly nowMs: () => number;
}

/** Finds the handler of everything below /apis; undefined: the path belongs to the small endpoints. */
export type Router = (info: RequestInfo) => Route | undefined;

export function createRouter({ engine, nowMs }: RouterOptions): Router {
  const current = perProviders(engine, (providers) => routerFor(providers, nowMs));
  return (info) => current()(info);
}

type Providers = Pick<Engine, "custom" | "external" | "resource">;

function routerFor(providers: Providers, nowMs: () => number): Router {
  const served = servedGroupVersions(providers);
  const aggregated = createAggregatedDiscovery(served);
  const apis = createApiRoutes(providers, nowMs);

  const groupsRoute = discoveryRoute(aggregatedConversions, ({ conversion, ifNoneMatch }) => {
    if (conversion === undefined) {
      return { type: "object", object: apiGroupList(served) };
    }
    const { body, etag } = aggregated(conversion);
    return { type: "document", body, etag, isUnchanged: ifNoneMatch === etag, conversion };
  });
  const groupRoute = (group: string): Route | undefined => {
    const document = apiGroup(served, group);
    return document && discoveryRoute([], () => ({ type: "object", object: document }));
  };
  const versionRoute = (group: string, version: string): Route | undefined => {
    const found = served.find((entry) => entry.group === group && entry.version === version);
    return found && discoveryRoute([], () => ({ type: "object", object: resourceList(found) }));
  };

  return (info) => {
    if (info.path === "/apis") {
      return groupsRoute;
    }
    if (!info.path.startsWith("/apis/")) {
      return undefined;
    }
    const { groupVersion, resource } = info;
    if (groupVersion === undefined) {
      return groupRoute(info.path.slice("/apis/".length)) ?? unknownRoute;
    }
    const { group, version } = groupVersion;
    return (
      (resource === undefined ? versionRoute(group, version) : apis.get(`${group}/${version}`)) ??
      unknownRoute
    );
  };
}

function createApiRoutes(providers: Providers, nowMs: () => number): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  const { custom, external, resource } = providers;
  if (custom !== undefined) {
    for (const version of ["v1beta1", "v1beta2"] as const) {
      routes.set(
        `${customGroup}/${version}`,
        metricsRoute("custom", ({ info, signal }) => customMetrics(custom, version, info, signal)),
      );
    }
  }
  if (external !== undefined) {
    routes.set(
      `${externalGroup}/v1beta1`,
      metricsRoute("external", ({ info, signal }) => externalMetrics(external, info, signal)),
    );
  }
  if (resource !== undefined) {
    const api = { provider: resource, nowMs };
    routes.set(
      `${resourceGroup}/v1beta1`,
      metricsRoute("resource", ({ info, signal }) => resourceMetrics(api, info, signal)),
    );
  }
  return routes;
}

function metricsRoute(api: ApiName, run: Route["run"]): Route {
  return { api, lane: "normal", conversions: tableConversions, run };
}

function discoveryRoute(conversions: readonly Conversion[], run: Route["run"]): Route {
  return { api: "discovery", lane: "priority", conversions, run };
}

const unknownRoute: Route = {
  api: "other",
  lane: "priority",
  conversions: [],
  run: () => failed(routeNotFound),
};
