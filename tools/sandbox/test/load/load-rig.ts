import { renderExposition } from "../../src/load/exposition.ts";
import { createLoadModel } from "../../src/load/load-model.ts";
import type { WorkloadLoad } from "../../src/load/workload-load.ts";
import { workload, workloadRig } from "../workloads/workload-rig.ts";
import { parseExposition } from "./parse-exposition.ts";

/** A running Deployment `router` with Ready pods, and a load model that watches it. */
export async function loadRig(options: {
  loads: readonly WorkloadLoad[];
  replicas?: number;
  readyDelayMs?: number;
}) {
  const rig = workloadRig({ readyDelayMs: options.readyDelayMs ?? 0, terminationMs: 1000 });
  const model = createLoadModel({ clock: rig.clock, store: rig.store, loads: options.loads });
  rig.store.create(
    "deployments.apps",
    workload({ kind: "Deployment", name: "router", replicas: options.replicas ?? 1 }),
  );
  await rig.clock.advance(options.readyDelayMs ?? 0);
  model.start();
  const read = () => parseExposition(renderExposition(model.collect()));
  return {
    ...rig,
    model,
    read,
    scaleTo: (replicas: number) => rig.scale("deployments.apps", "router", replicas),
    /** The sum over the series of one metric. */
    sum: (name: string) =>
      [...read()]
        .filter(([key]) => key.startsWith(`${name}{`))
        .reduce((total, [, value]) => total + value, 0),
    count: (name: string) => [...read().keys()].filter((key) => key.startsWith(`${name}{`)).length,
  };
}

export function routerLoad(points: WorkloadLoad["points"], metric = "packets"): WorkloadLoad {
  return { namespace: "default", kind: "Deployment", name: "router", metric, points };
}
