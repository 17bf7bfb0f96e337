// The two API servers of the cluster: one store, and a watch cache each.
import type { VersionedStore, WatchCache } from "@plimsoll/sandbox";
import type { ServerRequest } from "../network/server.ts";
import type { VirtualTime } from "../time/virtual-time.ts";
import { createLaggingCache } from "./lagging-cache.ts";

export type ApiServerName = "first" | "second";

/** Which of them a request reaches; undefined leaves that to other routes. */
export type Route = (request: ServerRequest) => ApiServerName | undefined;

export interface ApiServers {
  /** The cache of the server that a request reaches: the first one, unless a route names another. */
  cacheFor(request: ServerRequest): WatchCache;
  /** Returns what removes it. */
  addRoute(route: Route): () => void;
  /** Of several lags of one server the longest counts. Returns what removes it. */
  addLag(lagMs: number, server: ApiServerName): () => void;
  /** Both caches take the store as it is. */
  reset(): void;
}

export function createApiServers(store: VersionedStore, time: VirtualTime): ApiServers {
  const servers = {
    first: { cache: createLaggingCache(store, time), lags: new Set<{ readonly lagMs: number }>() },
    second: { cache: createLaggingCache(store, time), lags: new Set<{ readonly lagMs: number }>() },
  };
  const routes = new Set<Route>();

  function update(server: ApiServerName): void {
    const { cache, lags } = servers[server];
    cache.setLag(lags.size === 0 ? undefined : Math.max(...[...lags].map(({ lagMs }) => lagMs)));
  }

  return {
    cacheFor(request) {
      for (const route of routes) {
        const server = route(request);
        if (server !== undefined) return servers[server].cache;
      }
      return servers.first.cache;
    },
    addRoute(route) {
      routes.add(route);
      return () => void routes.delete(route);
    },
    addLag(lagMs, server) {
      const lag = { lagMs };
      const { lags } = servers[server];
      lags.add(lag);
      update(server);
      return () => {
        lags.delete(lag);
        update(server);
      };
    },
    reset() {
      for (const { cache } of Object.values(servers)) cache.reset();
    },
  };
}
