// The Service in front of the adapters: requests go to one of those that are ready.
import type { Server, ServerRequest, ServerResponse } from "../network/network.ts";
import type { Program } from "../process/processes.ts";
import type { World } from "../run/world.ts";
import { type RunningAdapter, startAdapter } from "./adapter-program.ts";

/** How long the endpoints still name an adapter that does not respond. */
const noticedMs = 10_000;

/** One adapter, as the endpoints know it. */
interface Endpoint {
  adapter: RunningAdapter | undefined;
  /** Since when it is seen not to respond; undefined while it does. */
  awaySinceMs: number | undefined;
  /** Ends the requests that it has not responded to. */
  readonly pending: Set<() => void>;
}

/** The programs of the adapters, which the cluster serves the metrics APIs from. */
export function createAdapters(world: World, names: readonly string[]): ReadonlyMap<string, Program> {
  const endpoints = new Map<string, Endpoint>();
  for (const name of names)
    endpoints.set(name, { adapter: undefined, awaySinceMs: world.time.nowMs, pending: new Set() });
  world.cluster.serveMetrics(createBalancer(world, [...endpoints.values()]));
  return new Map([...endpoints].map(([name, endpoint]) => [name, programOf(world, endpoint)]));
}

function programOf(world: World, endpoint: Endpoint): Program {
  return (process) => {
    const adapter = startAdapter(world, process);
    endpoint.adapter = adapter;
    endpoint.awaySinceMs = undefined;
    process.onKill(() => {
      endpoint.adapter = undefined;
      endpoint.awaySinceMs = world.time.nowMs;
      const pending = [...endpoint.pending];
      endpoint.pending.clear();
      for (const end of pending) end();
    });
    return adapter;
  };
}

/** In turn, those that are away for long left out. */
function createBalancer({ time }: World, endpoints: readonly Endpoint[]): Server {
  let turn = 0;
  const isAway = (endpoint: Endpoint): boolean => {
    if (endpoint.adapter?.process.state === "running") {
      endpoint.awaySinceMs = undefined;
      return false;
    }
    endpoint.awaySinceMs ??= time.nowMs;
    return time.nowMs - endpoint.awaySinceMs >= noticedMs;
  };
  return (request) => {
    const known = endpoints.filter((endpoint) => !isAway(endpoint));
    turn += 1;
    const endpoint = known[turn % Math.max(1, known.length)];
    const adapter = endpoint?.adapter;
    if (endpoint === undefined || adapter === undefined) return unreachable;
    return respond(endpoint, adapter, request);
  };
}

/** The response of the adapter, or that it is not there any more. */
async function respond(
  { pending }: Endpoint,
  adapter: RunningAdapter,
  request: ServerRequest,
): Promise<ServerResponse> {
  let end = (): void => {};
  const killed = new Promise<ServerResponse>((resolve) => {
    end = () => resolve(unreachable);
  });
  pending.add(end);
  try {
    return await Promise.race([adapter.serve(request), killed]);
  } finally {
    pending.delete(end);
  }
}

/** What the aggregation layer responds when it cannot connect. */
const unreachable: ServerResponse = {
  code: 503,
  body: "error trying to reach service: dial tcp: connect: connection refused\n",
};
