// Draws the loads of what may have no replicas: work that comes now and then.
import type { Load } from "../load/loads.ts";
import type { Random } from "../random/random.ts";
import type { SetupObject } from "../scenario/scenario.ts";

const minuteMs = 60_000;

interface Spec {
  readonly minReplicas?: number;
  readonly scaleTargetRef?: { readonly name: string };
}

/** For most targets of objects that may scale to zero; without them few would ever rest. */
export function drawIdleLoads(random: Random, objects: readonly SetupObject[]): readonly Load[] {
  return objects.flatMap(({ metadata: { namespace = "default" }, spec }) => {
    const { minReplicas, scaleTargetRef } = (spec ?? {}) as Spec;
    if (minReplicas !== 0 || scaleTargetRef === undefined) return [];
    const { name: workload } = scaleTargetRef;
    const own = random.stream(`${namespace}/${workload}`);
    if (!own.chance(0.8)) return [];
    const demand = {
      type: "spike",
      units: 0,
      peak: own.between(5, 60) / 10,
      everyMs: minuteMs * own.between(4, 15),
      forMs: minuteMs * own.between(1, 3),
    } as const;
    return [{ namespace, workload, demand }];
  });
}
