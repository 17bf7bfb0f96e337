// The parts of the real world.
import { createCluster } from "../cluster/cluster.ts";
import { faults } from "../faults/index.ts";
import { invariants } from "../invariants/index.ts";
import type { Random } from "../random/random.ts";
import type { Setup } from "../scenario/scenario.ts";
import type { Parts } from "./parts.ts";

export const parts: Parts = {
  createCluster: ({ time, random }) => createCluster({ time, random: random.stream("cluster") }),
  createPrometheus: () => missing("Prometheus"),
  programs: () => new Map(),
  faults,
  invariants,
};

export function drawSetup(random: Random): Setup {
  return {
    autoscalers: random.between(1, 3),
    adapters: random.between(1, 2),
    coordination: random.pick(["leader", "shards"]),
    objects: [],
  };
}

function missing(what: string): never {
  throw new Error(`there is no ${what} yet`);
}
