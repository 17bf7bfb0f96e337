// The parts of the real world.
import { metricRuleCrd } from "@plimsoll/metrics-adapter/testing";
import { createAdapters } from "../adapter/adapter-service.ts";
import { startAutoscaler } from "../autoscaler/autoscaler-program.ts";
import { createCluster } from "../cluster/cluster.ts";
import { faults } from "../faults/index.ts";
import { invariants } from "../invariants/index.ts";
import type { Program } from "../process/processes.ts";
import { createPrometheus } from "../prometheus/simulated-prometheus.ts";
import { processNames } from "../scenario/scenario.ts";
import type { Parts } from "./parts.ts";
import type { World } from "./world.ts";

export { drawSetup } from "../objects/draw-setup.ts";

export const parts: Parts = {
  createCluster: ({ time, random, scenario: { setup } }) =>
    createCluster({
      time,
      random: random.stream("cluster"),
      definitions: setup.metricRules === true ? [metricRuleCrd] : [],
    }),
  createPrometheus,
  programs,
  faults,
  invariants,
};

function programs(world: World): ReadonlyMap<string, Program> {
  const { setup } = world.scenario;
  return new Map<string, Program>([
    ...createAdapters(world, processNames({ ...setup, autoscalers: 0 })),
    ...processNames({ ...setup, adapters: 0 }).map((name): [string, Program] => [
      name,
      (process) => startAutoscaler(world, process),
    ]),
  ]);
}
