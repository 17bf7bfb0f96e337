// Where an object comes to rest, by the decisions of this project.
import {
  type DecideInput,
  decide,
  type FailurePolicy,
  type HpaMemory,
  type HpaSpec,
  type MetricSamples,
  type MetricSpec,
  type Pod,
} from "@plimsoll/core";
import {
  readSchedules,
  type ScheduleSpec,
  scheduleState,
  withSchedules,
  zoneOffset,
} from "@plimsoll/core/schedules";
import { expect } from "vitest";

export type WlaSpec = Omit<HpaSpec, "metrics"> & {
  readonly adopt?: string;
  readonly schedules?: readonly ScheduleSpec[];
  readonly metrics?: readonly (MetricSpec & { readonly onMetricFailure?: FailurePolicy })[];
};

export const noonMs = Date.parse("2026-06-03T12:00:00Z");

/** Samples of each metric, in order, at this number of replicas. */
type Samples = readonly MetricSamples[] | ((replicas: number) => readonly MetricSamples[]);

/** Where the object comes to rest, with the same values at each evaluation. */
export function settled(spec: WlaSpec, samples: Samples, from: number, startMs = noonMs): number {
  const { schedules = [], adopt, metrics = [], ...rest } = spec;
  const bounds = { minReplicas: spec.minReplicas ?? 1, maxReplicas: spec.maxReplicas };
  const read = readSchedules(schedules, { zone: zoneOffset, bounds });
  expect(read.problems).toEqual([]);
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
  const hpa = {
    apiVersion: "autoscaling/v2",
    kind: "WorkloadAutoscaler",
    metadata: { namespace: "web", name: "shop" },
    spec: { ...rest, behavior, ...(metrics.length === 0 ? {} : { metrics }) },
  };
  let [replicas, memory, status]: [number, HpaMemory | undefined, DecideInput["hpa"]["status"]] = [
    from,
    undefined,
    undefined,
  ];
  for (let sync = 0; sync < 60; sync++) {
    const nowMs = startMs + sync * 15_000;
    const input: DecideInput = {
      nowMs,
      hpa: { ...hpa, ...(status === undefined ? {} : { status }) },
      scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=shop" },
      pods: { ok: true, pods: podsOf(replicas) },
      samples: typeof samples === "function" ? samples(replicas) : samples,
      options: { adoptsFromZero: adopt === "FromZero" },
      failurePolicies: metrics.map(({ onMetricFailure }) => onMetricFailure ?? { policy: "Block" }),
    };
    const result = decide(
      schedules.length === 0 ? input : withSchedules(input, scheduleState(read.schedules, nowMs)),
      memory,
    );
    ({ memory } = result);
    ({ status } = result.decision);
    replicas = result.decision.scaleTo ?? replicas;
  }
  return replicas;
}

function podsOf(replicas: number): readonly Pod[] {
  return Array.from({ length: replicas }, (_, index) => ({
    metadata: { name: `shop-${index}` },
    status: {
      phase: "Running",
      startTime: "2026-01-01T00:00:00Z",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:01:00Z" }],
    },
  }));
}
