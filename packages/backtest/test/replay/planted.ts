// A loop whose controller reads something else than what is recorded of it, at the decisions where a test says so.
import { type DecideInput, decide, type HpaMemory } from "@plimsoll/core";
import type { Autoscaler } from "@plimsoll/simulator";
import { hpa, startMs } from "@plimsoll/simulator/testing";
import {
  type OpenLoopOptions,
  type OpenLoopReport,
  type RecordedPod,
  type Recording,
  replayOpenLoop,
} from "../../src/index.ts";

export const periodMs = 15_000;

/** Of an external metric with 10 for each replica, up to 50. */
export const external: Autoscaler = hpa({
  maxReplicas: 50,
  metrics: [
    {
      type: "External",
      external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } },
    },
  ],
});

/** Of a value, 10 for each pod that is Ready. */
export const ofReady: Autoscaler = hpa({
  maxReplicas: 50,
  metrics: [
    {
      type: "Object",
      object: {
        describedObject: { kind: "Service", name: "shop" },
        metric: { name: "load" },
        target: { type: "Value", value: "10" },
      },
    },
  ],
});

/** What the controller had. */
export interface Actual {
  readonly input?: Partial<DecideInput>;
  readonly memory?: HpaMemory | "lost";
}

export interface Plan {
  readonly autoscaler?: Autoscaler;
  readonly totals: readonly number[];
  readonly replicas?: number;
  readonly pods?: readonly RecordedPod[];
  /** Every so often a sample, behind the total of its decision; absent: one a decision. */
  readonly actual?: (n: number, input: DecideInput) => Actual;
  /** Where another client sets the count, before the next decision. */
  readonly byHand?: Readonly<Record<number, number>>;
  /** What is recorded, from what would be. */
  readonly recorded?: (recording: Recording) => Recording;
  readonly options?: Partial<OpenLoopOptions>;
}

export function instantOf(n: number): number {
  return startMs + n * periodMs;
}

/** What the replay says of the recording of the loop. */
export function planted(plan: Plan): OpenLoopReport {
  const { autoscaler = external, options } = plan;
  const recording = (plan.recorded ?? ((same) => same))(recordedLoop(plan, autoscaler));
  const usual = { periodMs, cacheAgeMs: 0, maxMismatches: 20 };
  const report = replayOpenLoop(recording, autoscaler, { ...usual, ...options });
  if (report === undefined) throw new Error("there are no decisions");
  return report;
}

function recordedLoop(
  { totals, replicas: first = 3, pods = [], actual, byHand = {} }: Plan,
  autoscaler: Autoscaler,
): Recording {
  const scale = [{ atMs: startMs - 1000, earliestMs: startMs - 1000, value: first }];
  const status: Recording["status"][number][] = [];
  let memory: HpaMemory | undefined;
  let replicas = first;
  for (const [n, total] of totals.entries()) {
    const nowMs = instantOf(n);
    const plain = inputAt({ n, total, replicas, pods }, autoscaler);
    const had = actual?.(n, plain) ?? {};
    const { decision, memory: next } = decide(
      { ...plain, ...had.input },
      had.memory === "lost" ? undefined : (had.memory ?? memory),
    );
    memory = next;
    const desired = decision.scaleTo ?? replicas;
    const scalingActive = decision.status.conditions.some(
      ({ type, status: is }) => type === "ScalingActive" && is === "True",
    );
    status.push({
      atMs: nowMs + 500,
      currentReplicas: replicas,
      desiredReplicas: desired,
      values: [total],
      scalingActive,
    });
    const count = byHand[n] ?? desired;
    if (count !== replicas) scale.push({ atMs: nowMs + 200, earliestMs: nowMs + 200, value: count });
    replicas = count;
  }
  return {
    version: 1,
    target: { namespace: "default", kind: "Deployment", name: "shop" },
    span: { fromMs: startMs, toMs: instantOf(totals.length) },
    autoscaler: { object: autoscaler.hpa, changes: [] },
    syncs: { atMs: totals.map((_, n) => instantOf(n)), clock: "known" },
    pods,
    scale,
    metrics: [
      {
        index: 0,
        level: "series",
        samples: totals.map((value, n) => ({ atMs: instantOf(n), values: [{ value }] })),
        gaps: [],
      },
    ],
    status,
  };
}

interface Moment {
  readonly n: number;
  readonly total: number;
  readonly replicas: number;
  readonly pods: readonly RecordedPod[];
}

function inputAt({ n, total, replicas, pods }: Moment, { hpa: object }: Autoscaler): DecideInput {
  const value = String(total);
  const isObject = object.spec.metrics?.[0]?.type === "Object";
  const statusReplicas = pods.length === 0 ? replicas : pods.length;
  return {
    nowMs: instantOf(n),
    hpa: object,
    scale: { ok: true, specReplicas: replicas, statusReplicas, selector: "app=shop" },
    pods: { ok: true, pods: pods.map(({ name }) => readyPod(name)) },
    samples: [isObject ? { value } : { values: [{ value }] }],
  };
}

export function readyPod(name: string, isReady = true) {
  const since = "2026-01-01T00:00:00Z";
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: since }];
  return { metadata: { name }, spec: {}, status: { phase: "Running", startTime: since, conditions } };
}

export function recordedPod(name: string, of: Partial<RecordedPod> = {}): RecordedPod {
  const oldMs = startMs - 3_600_000;
  return {
    name,
    createdMs: oldMs,
    startedMs: oldMs,
    ready: [{ fromMs: oldMs }],
    requests: {},
    uncertaintyMs: 0,
    ...of,
  };
}
