import { customMetrics } from "../apis/custom.ts";
import { externalMetrics } from "../apis/external.ts";
import { failed, type Reply } from "../apis/reply.ts";
import { resourceMetrics } from "../apis/resource.ts";
import { aggregatedConversions, createAggregatedDiscovery } from "../discovery/aggregated.ts";
import { apiGroup, apiGroupList } from "../discovery/groups.ts";
import {
  customGroup,
  externalGroup,
  type GroupVersion,
  resourceGroup,
  resourceList,
  servedGroupVersions,
} from "../discovery/resources.ts";
import { perProviders } from "../discovery/served.ts";
import type { Engine } from "../provider/provider.ts";
import type { ApiName } from "./exchange.ts";
import { routeNotFound } from "./failure.ts";
import { createKeptReplies } from "./kept-replies.ts";
import type { Lane } from "./lanes.ts";
import { type Conversion, tableConversions } from "./negotiate.ts";
import type { RequestInfo } from "./request-info.ts";
import { jsonBody } from "./respond.ts";

export interface Route {
  readonly api: ApiName;
  readonly lane: Lane;
  readonly conversions: readonly Conversion[];
  /** The answer, where nobody has to be asked for it. */
  known(request: KnownRequest): Reply | undefined;
  run(request: RouteRequest): Promise<Reply>;
}

export interface KnownRequest {
  readonly info: RequestInfo;
  readonly conversion: Conversion | undefined;
  readonly ifNoneMatch: string | undefined;
}

export interface RouteRequest extends KnownRequest {
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

  const groupList = written(apiGroupList(served));
  const groupsRoute = discoveryRoute(aggregatedConversions, ({ conversion, ifNoneMatch }) => {
    if (conversion === undefined) {
      return groupList;
    }
    const { body, etag } = aggregated(conversion);
    return { type: "document", body, etag, isUnchanged: ifNoneMatch === etag, conversion };
  });
  const groupRoute = (group: string): Route | undefined => {
    const document = apiGroup(served, group);
    return document && discoveryRoute([], () => ({ type: "object", object: document }));
  };
  const versionRoutes = new Map(
    served.map((version) => [`${version.group}/${version.version}`, versionRoute(version)]),
  );

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
    const routes = resource === undefined ? versionRoutes : apis;
    return routes.get(`${groupVersion.group}/${groupVersion.version}`) ?? unknownRoute;
  };
}

/** The list of a version's resources, written anew when it is another one. */
function versionRoute(version: GroupVersion): Route {
  let last: { readonly rows: unknown; readonly reply: Reply } | undefined;
  return discoveryRoute([], () => {
    const rows = version.resources();
    if (last === undefined || last.rows !== rows) last = { rows, reply: written(resourceList(version)) };
    return last.reply;
  });
}

/** A document that many ask for. */
function written(object: object): Reply {
  const body = jsonBody(JSON.stringify(object));
  return { type: "object", object, body: () => body };
}

function createApiRoutes(providers: Providers, nowMs: () => number): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  const kept = createKeptReplies({ nowMs });
  const metricsRoute = (api: ApiName, run: Route["run"]): Route => ({
    api,
    lane: "normal",
    conversions: tableConversions,
    known: ({ info }) => kept.find(info),
    run: async (request) => kept.offer(request.info, await run(request)),
  });
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

function discoveryRoute(conversions: readonly Conversion[], known: (request: KnownRequest) => Reply): Route {
  return { api: "discovery", lane: "priority", conversions, known, run: async (request) => known(request) };
}

const unknownRoute: Route = { ...discoveryRoute([], () => failed(routeNotFound)), api: "other" };
