// The loads of a run, by the object that carries them.
import type { Random } from "../random/random.ts";
import { createDemand, type Demand, type DemandShape, drawDemand } from "./demand.ts";

/** A load that a scenario sets; those of all other workloads are drawn from its seed. */
export interface Load {
  readonly namespace: string;
  /** Of a Deployment, StatefulSet, or whatever else has pods; queues, Ingresses and Services of the same name carry it too. */
  readonly workload: string;
  readonly demand: DemandShape;
}

export interface Loads {
  /** The demand on a workload at a moment, in units of one pod. */
  unitsOf(namespace: string, workload: string, nowMs: number): number;
}

export interface LoadsOptions {
  /** Of the whole run. */
  readonly random: Random;
  readonly startMs: number;
  readonly set?: readonly Load[] | undefined;
}

/** A load is a function of its own name: it is the same whichever other workloads there are. */
export function createLoads({ random, startMs, set = [] }: LoadsOptions): Loads {
  const demands = new Map<string, Demand>();
  const demandOf = (key: string): Demand => {
    const found = demands.get(key);
    if (found !== undefined) return found;
    const own = random.stream(`load/${key}`);
    const demand = createDemand(drawDemand(own.stream("shape")), own.stream("noise"));
    demands.set(key, demand);
    return demand;
  };
  for (const { namespace, workload, demand } of set) {
    const key = `${namespace}/${workload}`;
    demands.set(key, createDemand(demand, random.stream(`load/${key}`).stream("noise")));
  }
  return {
    unitsOf: (namespace, workload, nowMs) =>
      demandOf(`${namespace}/${workload}`)(Math.max(0, nowMs - startMs)),
  };
}
