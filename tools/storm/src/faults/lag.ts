// API servers whose watch caches are behind.
import { minuteMs } from "@plimsoll/core/internal/values";
import type { ApiServerName } from "../cluster/api-servers.ts";
import type { ServerRequest } from "../network/network.ts";
import type { Random } from "../random/random.ts";
import type { FaultKind, World } from "../run/world.ts";
import { type PlannedEvent, processNames } from "../scenario/scenario.ts";
import { numberOf, spreadDuration, textOf } from "./details.ts";

const minLagMs = 100;
const maxLagMs = 3 * minuteMs;

export const lagFaults: Readonly<Record<string, FaultKind>> = {
  "api-server-lag": {
    draw: (random) => ({ lagMs: spreadDuration(random.next(), minLagMs, maxLagMs) }),
    maxForMs: 10 * minuteMs,
    begin: ({ cluster }, event) => cluster.addLag(numberOf(event, "lagMs")),
  },
  /** The second API server is behind, and connections go from one to the other: who was ahead may be behind later. */
  "api-servers-apart": {
    draw: (random, setup) => ({
      lagMs: spreadDuration(random.next(), minLagMs, maxLagMs),
      process: random.chance(0.3) ? "" : random.pick(["", ...processNames(setup)]),
      // Of a process all connections at once, or each for itself.
      by: random.pick(["process", "connection"]),
      share: random.pick([0.2, 0.5, 0.8]),
      everyMs: spreadDuration(random.next(), 1000, 3 * minuteMs),
    }),
    weight: 2,
    maxForMs: 10 * minuteMs,
    begin(world, event) {
      const { cluster } = world;
      const catchUp = cluster.addLag(numberOf(event, "lagMs"), "second");
      const connections = connect(world, event);
      const removeRoute = cluster.addRoute(connections.route);
      return () => {
        connections.stop();
        removeRoute();
        catchUp();
      };
    },
  },
};

/** Which API server each request of some processes reaches. Watches that are cut now and then reach another one. */
function connect({ network, random, time }: Pick<World, "network" | "random" | "time">, event: PlannedEvent) {
  const process = textOf(event, "process");
  const share = numberOf(event, "share");
  const own = random.stream(`fault ${event.id}`);
  const isConcerned = ({ caller }: ServerRequest): boolean => process === "" || caller === process;
  const drawn = (stream: Random): ApiServerName => (stream.chance(share) ? "second" : "first");
  const counts = new Map<string, number>();
  let moves = 0;
  let isOver = false;

  function route(request: ServerRequest): ApiServerName | undefined {
    if (!isConcerned(request)) return undefined;
    const { caller } = request;
    if (event.details["by"] === "process") return drawn(own.stream(`${caller} ${String(moves)}`));
    const count = (counts.get(caller) ?? 0) + 1;
    counts.set(caller, count);
    return drawn(own.stream(`${caller}/${String(count)}`));
  }

  function move(): void {
    if (isOver) return;
    moves += 1;
    const cut = network.add({ ofWatch: (request) => (isConcerned(request) ? { type: "cut" } : undefined) });
    cut();
    time.after(numberOf(event, "everyMs"), move);
  }

  time.after(numberOf(event, "everyMs"), move);
  return { route, stop: () => void (isOver = true) };
}
