// The routes below /apis.
import { type CacheMeter, getOrAdd } from "@plimsoll/component-base";
import { customMetrics } from "../api/custom.ts";
import { aggregatedConversions, createAggregatedDiscovery } from "../api/discovery/aggregated.ts";
import { perProviders } from "../api/discovery/per-providers.ts";
import {
  apiGroup,
  apiGroupList,
  customGroup,
  externalGroup,
  type FederatedLists,
  type GroupVersion,
  resourceGroup,
  resourceListBody,
  servedGroupVersions,
} from "../api/discovery/resources.ts";
import { externalMetrics } from "../api/external.ts";
import { routeNotFound } from "../api/failure.ts";
import { type Conversion, metadataConversions, tableConversions } from "../api/negotiate.ts";
import { failed, type Reply } from "../api/reply.ts";
import { resourceMetrics } from "../api/resource.ts";
import type { Engine } from "../backends/prometheus/engine.ts";
import { createFederatedRouter, type FederatedOwners } from "./federated-routes.ts";
import { jsonBody, maxOneWriteLength } from "./json-body.ts";
import { createResponseCache } from "./response-cache.ts";
import type { ApiName, Route, Router } from "./route.ts";

interface RouterSeams {
  readonly nowMs: () => number;
  readonly meter?: CacheMeter | undefined;
}

export interface RouterOptions extends RouterSeams {
  readonly engine: Engine;
  /** Other adapters; absent: no request is handed on. */
  readonly federation?: (FederatedOwners & FederatedLists) | undefined;
}

/** Finds the route of everything below /apis. */
export function createRouter({ engine, federation, ...seams }: RouterOptions): Router {
  const current = perProviders(engine, (providers) => routerFor(providers, seams, federation));
  if (federation === undefined) return (info) => current()(info);
  const handOn = createFederatedRouter(federation);
  return (info) => handOn(info) ?? current()(info);
}

type Providers = Pick<Engine, "custom" | "external" | "resource">;

function routerFor(
  providers: Providers,
  seams: RouterSeams,
  federation: RouterOptions["federation"],
): Router {
  const served = servedGroupVersions(providers, federation);
  const aggregated = createAggregatedDiscovery(served);
  const apis = createApiRoutes(providers, seams);

  const groupList = written(apiGroupList(served));
  const groupsRoute = discoveryRoute(aggregatedConversions, async ({ conversion, ifNoneMatch }) => {
    if (conversion === undefined) return groupList;
    const { body, etag } = await aggregated(conversion);
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
    if (info.path === "/apis") return groupsRoute;
    if (!info.path.startsWith("/apis/")) return undefined;
    const { groupVersion, resource } = info;
    if (groupVersion === undefined) return groupRoute(info.path.slice("/apis/".length)) ?? unknownRoute;
    const routes = resource === undefined ? versionRoutes : apis;
    return routes.get(`${groupVersion.group}/${groupVersion.version}`) ?? unknownRoute;
  };
}

/** The list of a version's resources, rewritten when it changes, and forgotten with its rows. */
function versionRoute(version: GroupVersion): Route {
  const replies = new WeakMap<object, Promise<Reply>>();
  return discoveryRoute([], ({ isHandedOn }) => {
    // Two adapters that read each other's lists would keep what neither has.
    const rows = isHandedOn ? (version.ownResources ?? version.resources)() : version.resources();
    return getOrAdd(replies, rows, async () => {
      const buffer = await resourceListBody(version, rows);
      const body = buffer.length <= maxOneWriteLength ? buffer.toString() : buffer;
      return {
        type: "object",
        get object() {
          return JSON.parse(buffer.toString());
        },
        body: () => body,
      };
    });
  });
}

/** A document that is written once. */
function written(object: object): Reply {
  const body = jsonBody(JSON.stringify(object));
  return { type: "object", object, body: () => body };
}

function createApiRoutes(providers: Providers, seams: RouterSeams): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  const { nowMs } = seams;
  const cache = createResponseCache(seams);
  const metricsRoute = (api: ApiName, run: Route["run"]): Route => ({
    api,
    kind: "metrics",
    conversions: api === "resource" ? [...tableConversions, ...metadataConversions] : tableConversions,
    cache,
    run,
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

function discoveryRoute(conversions: readonly Conversion[], run: Route["run"]): Route {
  return { api: "discovery", kind: "system", conversions, cache: undefined, run };
}

const unknownRoute: Route = { ...discoveryRoute([], () => failed(routeNotFound)), api: "other" };
