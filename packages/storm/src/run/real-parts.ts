// The parts of the real world.
import { startAutoscaler } from "../autoscaler/autoscaler-program.ts";
import { createCluster } from "../cluster/cluster.ts";
import { faults } from "../faults/index.ts";
import { invariants } from "../invariants/index.ts";
import type { Program } from "../process/processes.ts";
import { processNames } from "../scenario/scenario.ts";
import type { Parts } from "./parts.ts";
import type { World } from "./world.ts";

export { drawSetup } from "../objects/draw-setup.ts";

export const parts: Parts = {
  createCluster: ({ time, random }) => createCluster({ time, random: random.stream("cluster") }),
  createPrometheus: () => ({
    handle: () => Promise.resolve({ code: 503, body: "" }),
    wasValue: () => false,
  }),
  programs,
  faults,
  invariants,
};

function programs(world: World): ReadonlyMap<string, Program> {
  return new Map(
    processNames({ ...world.scenario.setup, adapters: 0 }).map((name) => [
      name,
      (process) => startAutoscaler(world, process),
    ]),
  );
}
