// Invariant: decisions are about the specification that is stored.
import { isDeepStrictEqual } from "node:util";
import type { CreateInvariant, Observed } from "../run/world.ts";
import { createCalm } from "./calm.ts";
import type { Decided } from "./decisions.ts";

/** A process trusts its own writes for 5 minutes at most, and finds an API server that was restored sooner. */
const limitMs = 6 * 60_000;

const resources: Readonly<Record<string, string>> = {
  HorizontalPodAutoscaler: "horizontalpodautoscalers.autoscaling",
  WorkloadAutoscaler: "workloadautoscalers.autoscaling.plimsoll.dev",
};

/** When nothing has disturbed a process for some minutes, it decides on objects as they are. */
export const staleSpecification: CreateInvariant = (world) => {
  const { cluster, time } = world;
  const calm = createCalm(world);
  const changedMs = new Map<string, number>();
  return {
    name: "stale-specification",
    observe(observation) {
      calm.observe(observation);
      if (observation.kind === "written") follow(observation);
      if (observation.kind !== "decided" || calm.forMs() < limitMs) return undefined;
      const { input, process } = observation;
      const { kind = "", metadata: { namespace = "", name = "", uid } = {} } = input.hpa;
      const stored = cluster.store.get(resources[kind] ?? "", namespace, name);
      const since = changedMs.get(uid ?? "") ?? Number.NEGATIVE_INFINITY;
      if (time.nowMs - since < limitMs) return undefined;
      if (stored?.metadata.uid !== uid) return `${process} decides on ${namespace}/${name}, which is gone`;
      const isSame = isDeepStrictEqual(partsOf(input.hpa.spec, kind), partsOf(stored?.spec as Spec, kind));
      return isSame ? undefined : `${process} decides on a former specification of ${namespace}/${name}`;
    },
  };

  function follow({ event: { object, previous } }: Observed<"written">): void {
    const { kind = "", metadata } = object;
    if (resources[kind] === undefined || isDeepStrictEqual(object.spec, previous?.spec)) return;
    changedMs.set(metadata.uid ?? "", time.nowMs);
  }
};

type Spec = Decided["input"]["hpa"]["spec"];

/** What both forms have: bounds of a WorkloadAutoscaler follow its schedules, and its metrics have policies. */
function partsOf({ scaleTargetRef, maxReplicas, minReplicas, metrics }: Spec, kind: string): unknown {
  if (kind === "WorkloadAutoscaler") return [scaleTargetRef.name, metrics?.length ?? 0];
  return [scaleTargetRef.name, maxReplicas, minReplicas ?? 1, metrics?.length ?? 0];
}
