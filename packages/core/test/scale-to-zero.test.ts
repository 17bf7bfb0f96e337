import { expect, test } from "vitest";
import {
  type DecideInput,
  decide,
  type HpaMemory,
  type HpaStatus,
  type MetricSamples,
  type MetricSpec,
} from "../src/index.ts";
import {
  cpuSamples,
  cpuUtilization,
  externalAverage,
  externalInput,
  hpaOf,
  nowMs,
  readyPods,
} from "./fixtures.ts";

const failed: MetricSamples = { error: "no metrics returned from resource metrics API" };

/** One turn for each total of the queue, a minute apart; what the object wants is done at once. */
function trajectory(
  totals: readonly string[],
  setup: {
    metrics?: readonly MetricSpec[];
    options?: DecideInput["options"];
    start?: number;
    status?: HpaStatus;
  } = {},
): readonly number[] {
  const { metrics = [externalAverage("10")], options = {} } = setup;
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
  let replicas = setup.start ?? 2;
  let { status } = setup;
  let memory: HpaMemory | undefined;
  return totals.map((total, turn) => {
    const samples = metrics.map(({ type }): MetricSamples => {
      if (type === "External") return { values: [{ value: total }] };
      return replicas === 0 ? failed : cpuSamples(Array.from({ length: replicas }, () => "10m"));
    });
    const hpa = {
      ...hpaOf({ minReplicas: 0, metrics, behavior }),
      ...(status === undefined ? {} : { status }),
    };
    const pods = { ok: true as const, pods: readyPods(replicas) };
    const input = externalInput(total, replicas, {
      nowMs: nowMs + turn * 60_000,
      hpa,
      samples,
      pods,
      options,
    });
    const result = decide(input, memory);
    ({ memory } = result);
    ({ status } = result.decision);
    replicas = result.decision.scaleTo ?? replicas;
    return replicas;
  });
}

const work = ["20", "0", "0", "1", "35", "0"];

test("an External metric of 0 scales to zero, and of more brings the target back", () => {
  expect(trajectory(work)).toEqual([2, 0, 0, 1, 4, 0]);
});

test("a Value target does so too", () => {
  const metrics: readonly MetricSpec[] = [
    { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "10" } } },
  ];
  expect(trajectory(["10", "0", "0", "25"], { metrics })).toEqual([2, 0, 0, 3]);
});

test("cpu beside it keeps one replica while it has a value, as it has while a pod runs", () => {
  const metrics = [externalAverage("10"), cpuUtilization(50)];
  expect(trajectory(work, { metrics })).toEqual([2, 1, 1, 1, 4, 1]);
});

test("cpu beside it has no value at zero, and does not keep the target there", () => {
  const metrics = [externalAverage("10"), cpuUtilization(50)];
  const status: HpaStatus = {
    currentReplicas: 0,
    desiredReplicas: 0,
    currentMetrics: null,
    conditions: [{ type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "" }],
  };
  expect(trajectory(["0", "15"], { metrics, start: 0, status })).toEqual([0, 2]);
});

test("a zero that a person set stays; before 1.36 the minimum alone says so", () => {
  expect(trajectory(["30", "30"], { start: 0 })).toEqual([0, 0]);
  expect(trajectory(["30"], { start: 0, options: { semantics: "1.35" } })).toEqual([3]);
});

test("with the gate off a zero stays, whoever set it", () => {
  expect(trajectory(work, { options: { scaleToZero: false } })).toEqual([2, 0, 0, 0, 0, 0]);
});

test("a delay after a scale delays the reverse scale as well", () => {
  expect(trajectory(work, { options: { upscaleForbiddenWindowMs: 120_000 } })).toEqual([2, 0, 0, 0, 4, 0]);
});
