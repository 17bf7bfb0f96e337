// What an evaluation sees of one object, and the plan that core's decision makes of it.
import { decide } from "@plimsoll/core";
import { projectHpa, type ScalingObject } from "../../src/objects/scaling-object.ts";
import { projectWla } from "../../src/objects/workload-autoscaler.ts";
import { type EvaluateDeps, evaluate } from "../../src/reconcile/evaluate/evaluate.ts";
import type { Plan } from "../../src/reconcile/evaluate/plan.ts";
import type { Observation } from "../../src/reconcile/observe.ts";
import { createStates, type ObjectState } from "../../src/reconcile/remember/state.ts";

export const nowMs = Date.parse("2030-01-01T00:00:00Z");
export const periodMs = 15_000;

const spec = {
  scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
  minReplicas: 2,
  maxReplicas: 8,
  metrics: [
    {
      type: "External",
      external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "1" } },
    },
  ],
};
const metadata = { namespace: "default", name: "shop", uid: "u1", resourceVersion: "5", generation: 2 };

export function hpaObject(change: { readonly spec?: object; readonly status?: object } = {}): ScalingObject {
  const { status } = change;
  return projectHpa({ metadata, spec: { ...spec, ...change.spec }, ...(status && { status }) } as never);
}

export function wlaObject(change: { readonly spec?: object; readonly status?: object } = {}): ScalingObject {
  const { status } = change;
  return projectWla({ metadata, spec: { ...spec, ...change.spec }, ...(status && { status }) } as never);
}

export const emptyState: ObjectState = createStates(() => true).of("default/shop", hpaObject());

/** Four replicas, whose metric calls for this number. */
export function observed(
  wanted: number,
  change: Omit<Partial<Observation>, "state"> & { readonly state?: Partial<ObjectState> } = {},
): Observation {
  const object = change.object ?? hpaObject();
  return {
    key: "default/shop",
    startedMs: nowMs - 1000,
    nowMs,
    stored: object,
    object,
    isReclaimed: false,
    scale: { ok: true, specReplicas: 4, statusReplicas: 4, selector: "app=shop" },
    target: undefined,
    pods: { ok: true, pods: [] },
    unreadPod: undefined,
    samples: [{ values: [{ value: String(wanted) }] }],
    tookMs: [3],
    ambiguousWith: [],
    conflictingObjects: [],
    replicasWriter: undefined,
    retryAfterMs: undefined,
    isLastPass: false,
    ...change,
    state: { ...emptyState, ...change.state },
  };
}

export function planned(observation: Observation, deps: Partial<EvaluateDeps> = {}): Plan {
  return evaluate(observation, {
    decide,
    options: { downscaleStabilizationMs: 0 },
    manageHpas: "all",
    clock: { nowMs: () => nowMs, after: () => () => undefined },
    periodMs,
    ...deps,
  });
}
