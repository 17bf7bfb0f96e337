import { expect, test } from "vitest";
import {
  compareWithStatus,
  type DecideInput,
  decide,
  decideWithUnknownHistory,
  type HpaMemory,
  type Pod,
  type StoredHpaStatus,
  unknownMemories,
} from "../src/index.ts";
import {
  cpuSamples,
  cpuUtilization,
  externalInput,
  hpaOf,
  nowMs,
  podsMetric,
  podsSamples,
  readyPod,
  readyPods,
} from "./fixtures.ts";

const old: HpaMemory = {
  recommendations: [{ replicas: 1, atMs: nowMs - 900_000 }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};
const cpu = (millis: number, replicas: number, more: Partial<DecideInput> = {}): DecideInput =>
  externalInput("0", replicas, {
    hpa: hpaOf({ metrics: [cpuUtilization(60)] }),
    pods: { ok: true, pods: readyPods(replicas) },
    samples: [cpuSamples(Array.from({ length: replicas }, () => `${millis}m`))],
    ...more,
  });
/** The status that a controller with these readings writes. */
const statusOf = (input: DecideInput, memory: HpaMemory | undefined = old): StoredHpaStatus =>
  decide(input, memory).decision.status;

test("the same readings agree", () => {
  const input = cpu(640, 6);
  expect(compareWithStatus(input, old, statusOf(input))).toEqual({
    verdict: "agrees",
    difference: null,
    assumptions: [],
    theirs: null,
    notes: [],
  });
});

test("another value moves, when it gives the count of the status", () => {
  const input = cpu(710, 6);
  expect(compareWithStatus(input, old, statusOf(cpu(640, 6)))).toEqual({
    verdict: "moved",
    difference: { step: "metric", metric: 0, ours: "71%", theirs: "64%" },
    assumptions: [],
    theirs: { desired: 6, recomputed: 6 },
    notes: ["71% now, 64% then; with 64% the same rules give 6 (1.067 is within 0.9–1.1)."],
  });
});

test.each([0.2, 0.16])("a controller with a tolerance of %d differs by that assumption", (tolerance) => {
  const status = statusOf(cpu(690, 6, { options: { tolerance } }));
  const found = compareWithStatus(cpu(700, 6), old, status);
  expect(found).toMatchObject({
    verdict: "differs",
    difference: { step: "metric" },
    theirs: { desired: 6, recomputed: 7 },
  });
  expect(found.assumptions).toContainEqual({ about: "tolerance", value: ">= 0.15" });
});

test("a controller with a smaller tolerance differs by that assumption", () => {
  const input = cpu(640, 6);
  const found = compareWithStatus(input, old, statusOf(cpu(640, 6, { options: { tolerance: 0.01 } })));
  expect(found).toMatchObject({ verdict: "differs", difference: { step: "result", ours: "6", theirs: "7" } });
  expect(found.assumptions).toEqual([{ about: "tolerance", value: "<= 0.066" }]);
});

test("a shorter window of the controller is found as assumption", () => {
  const memory = { ...old, recommendations: [{ replicas: 6, atMs: nowMs - 100_000 }] };
  const input = cpu(200, 6);
  const options = { downscaleStabilizationMs: 60_000 };
  const found = compareWithStatus(input, memory, statusOf({ ...input, options }, memory));
  expect(found).toMatchObject({ verdict: "differs", theirs: { desired: 2, recomputed: 6 } });
  expect(found.assumptions).toEqual([{ about: "downscale-stabilization", value: "< 300s" }]);
});

test("a status of another count has moved", () => {
  const status = statusOf(cpu(1000, 4));
  expect(status).toMatchObject({ currentReplicas: 4, desiredReplicas: 7 });
  expect(compareWithStatus(cpu(590, 7), old, status)).toMatchObject({
    verdict: "moved",
    difference: { step: "scale", ours: "7", theirs: "4" },
  });
});

test("pods that started since count as they may have been counted", () => {
  const status = statusOf(
    cpu(900, 8, {
      pods: { ok: true, pods: [...readyPods(5), pending("pod-5"), pending("pod-6"), pending("pod-7")] },
    }),
  );
  expect(status).toMatchObject({ currentReplicas: 8, desiredReplicas: 8 });
  const young = ["pod-5", "pod-6", "pod-7"].map((name) => ({
    ...readyPod(name),
    status: {
      ...readyPod(name).status,
      startTime: "2026-01-01T11:59:30Z",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T11:59:40Z" }],
    },
  }));
  const options = { cpuInitializationPeriodMs: 0 };
  const input = cpu(900, 8, { pods: { ok: true, pods: [...readyPods(5), ...young] }, options });
  expect(decide(input, old).decision.desiredReplicas).not.toBe(8);
  expect(compareWithStatus(input, old, status).verdict).toBe("moved");
});

test("of pods that became ready one after another, some may have been counted", () => {
  const input = externalValue(readySince((at) => 10 - at));
  expect(decide(input, old).decision.desiredReplicas).toBe(8);
  expect([1, 2, 3, 4, 5].map((ready) => compareWithStatus(input, old, statusOfSome(ready)).verdict)).toEqual([
    "moved",
    "moved",
    "moved",
    "moved",
    "agrees",
  ]);
});

test.each([1, 2, 3, 4])("pods that are not ready now do not matter for the %d that were", (ready) => {
  const waiting = Array.from({ length: 12 }, (_, at) => pending(`waiting-${at}`));
  const input = externalValue([...readySince(() => 5), ...waiting]);
  expect(compareWithStatus(input, old, statusOfSome(ready)).verdict).toBe("moved");
});

test("of many pods that became ready at once any number may have been counted", () => {
  const status = (ready: number) => statusOf(externalValue(someOf(readyPods(40), ready)));
  const input = externalValue(readySince(() => 20, 40));
  const verdicts = Array.from(
    { length: 39 },
    (_, at) => compareWithStatus(input, old, status(at + 1)).verdict,
  );
  expect(new Set(verdicts)).toEqual(new Set(["moved"]));
  const other = { ...status(20), desiredReplicas: 70 };
  expect(compareWithStatus(input, old, other).verdict).toBe("differs");
});

test.each([
  [15, 15, 9],
  [10, 5, 9],
  [5, 5, 11],
])("by CPU a pod counts a window after it became ready; %d s earlier", (earlier, sampleAge, desired) => {
  const young = [45, 50, 62].map((seconds, at) => startedSince(readyPod(`pod-${at + 5}`), seconds));
  const pods = [...readyPods(5), ...young];
  const input = (ms: number, age: number): DecideInput => {
    const timestamp = new Date(ms - age * 1000).toISOString();
    const usage = pods.map(({ metadata }) => ({
      name: metadata?.name ?? "",
      containers: { app: { cpu: "900m" } },
    }));
    const samples = [{ pods: usage.map((one) => ({ ...one, timestamp, windowSeconds: 30 })) }];
    const scaleUp = { policies: [{ type: "Pods", value: 1000, periodSeconds: 15 }] };
    const hpa = hpaOf({ maxReplicas: 100, metrics: [cpuUtilization(60)], behavior: { scaleUp } });
    return cpu(900, 8, { nowMs: ms, hpa, pods: { ok: true, pods }, samples });
  };
  const status = statusOf(input(nowMs - earlier * 1000, 15));
  const now = input(nowMs, sampleAge);
  expect([status.desiredReplicas, decide(now, old).decision.desiredReplicas]).toEqual([desired, 12]);
  expect(compareWithStatus(now, old, status).verdict).toBe("moved");
});

function startedSince(pod: Pod, seconds: number): Pod {
  const at = (ms: number): string => new Date(ms).toISOString();
  const readyMs = nowMs - seconds * 1000;
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: at(readyMs) }];
  return { ...pod, status: { phase: "Running", startTime: at(readyMs - 10_000), conditions } };
}

test.each([
  ["ready for 35 s", externalValue(readySince(() => 35)), statusOfSome(3)],
  ["ready for 5 s, in no number that gives the count", externalValue(readySince(() => 5)), some(7)],
])("a status of another count differs with pods that are %s", (_, input, status) => {
  expect(compareWithStatus(input, old, status).verdict).toBe("differs");
});

test.each([[[null]], ["x"], [7], [{}], [Array.from({ length: 200_000 }, () => ({ type: "Other" }))]])(
  "conditions that are none are no failure",
  (conditions) => {
    const pods = readyPods(5).map((pod) => ({ ...pod, status: { ...pod.status, conditions } }) as Pod);
    expect(compareWithStatus(externalValue(pods), old, statusOfSome(3)).verdict).toBe("differs");
  },
);

/** Each ready for so many seconds. */
function readySince(seconds: (at: number) => number, count = 5): readonly Pod[] {
  return readyPods(count).map((pod, at) => {
    const lastTransitionTime = new Date(nowMs - seconds(at) * 1000).toISOString();
    return {
      ...pod,
      status: { ...pod.status, conditions: [{ type: "Ready", status: "True", lastTransitionTime }] },
    };
  });
}

/** What a controller writes that saw so many of the five ready. */
function statusOfSome(ready: number): StoredHpaStatus {
  return statusOf(externalValue(someOf(readyPods(5), ready)));
}

function someOf(pods: readonly Pod[], ready: number): readonly Pod[] {
  return pods.map((pod, at) => (at < ready ? pod : pending(`pod-${at}`)));
}

function some(desiredReplicas: number): StoredHpaStatus {
  return { ...statusOfSome(3), desiredReplicas };
}

function externalValue(pods: readonly Pod[]): DecideInput {
  const target = { type: "Value", value: "30" };
  const metric = { type: "External", external: { metric: { name: "queue_depth" }, target } };
  return externalInput("43400m", pods.length, {
    hpa: hpaOf({ metrics: [metric], maxReplicas: 200 }),
    pods: { ok: true, pods },
  });
}

function pending(name: string) {
  return { ...readyPod(name), status: { phase: "Pending" } };
}

test.each([
  ["External", externalInput("95", 8), externalInput("77", 8)],
  ["Pods", podsInput("12"), podsInput("10500m")],
])("a value of type %s moves", (_, now, then) => {
  expect(compareWithStatus(now, old, statusOf(then))).toMatchObject({
    verdict: "moved",
    difference: { step: "metric", metric: 0 },
  });
});

function podsInput(value: string): DecideInput {
  return cpu(0, 4, {
    hpa: hpaOf({ metrics: [podsMetric("10")] }),
    samples: [podsSamples(Array(4).fill(value) as string[])],
  });
}

test("a metric that failed then and is read now has moved; the other way round nothing is comparable", () => {
  const good = cpu(710, 6);
  const bad = { ...good, samples: [{ error: "down" }] };
  const failed = { ...statusOf(bad), desiredReplicas: 6 };
  expect(compareWithStatus({ ...good, hpa: { ...good.hpa, status: failed } }, old, failed)).toMatchObject({
    verdict: "moved",
    difference: { step: "metrics" },
  });
  expect(compareWithStatus(bad, old, statusOf(good))).toMatchObject({ verdict: "not-comparable" });
});

test("without a status, or with an old one, it lags", () => {
  const input = cpu(710, 6);
  expect(compareWithStatus(input, old, undefined).verdict).toBe("lagging");
  expect(compareWithStatus(input, old, { conditions: [] }).verdict).toBe("lagging");
  expect(compareWithStatus(input, old, { ...statusOf(input), observedGeneration: 2 })).toMatchObject({
    verdict: "lagging",
    notes: ["The status is of generation 2, the object is of 3."],
  });
});

test("what may not be read is not comparable", () => {
  const input = cpu(710, 6);
  expect(compareWithStatus(input, old, statusOf(input), { notReadable: ["pods"] })).toMatchObject({
    verdict: "not-comparable",
    notes: ["Not readable: pods."],
  });
});

test("a history that does not matter is said to be so", () => {
  expect(decideWithUnknownHistory(cpu(710, 6))).toMatchObject({
    history: "does-not-matter",
    desired: { a: 8, b: 8, c: 8 },
    notes: [],
  });
});

test("the conditions choose whether a window holds, and what they choose agrees with them", () => {
  const input = cpu(200, 6);
  const bare = decideWithUnknownHistory(input);
  expect(bare).toMatchObject({ history: "a", desired: { a: 2, b: 6, c: 2 } });
  expect(bare.notes).toEqual([
    "The conditions do not say whether a stabilization window holds: if one does, it is 6 and not 2.",
  ]);
  const memory = { ...old, recommendations: [{ replicas: 6, atMs: nowMs - 100_000 }] };
  const status = statusOf(input, memory);
  const stored = { ...input, hpa: { ...input.hpa, status } };
  const found = decideWithUnknownHistory(stored);
  expect(found).toMatchObject({ history: "b", notes: [] });
  expect(found.result.decision.scaleTo).toBeUndefined();
  expect(compareWithStatus(stored, found.memory, status, { isHistoryUnknown: true }).verdict).toBe("agrees");
});

test("scale events of the cluster use up policies", () => {
  const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 120 }] } };
  const memory = { ...old, scaleUpEvents: [{ change: 2, atMs: nowMs - 30_000 }] };
  const status: StoredHpaStatus = {
    ...statusOf(externalInput("90", 6, { hpa: hpaOf({ behavior }) }), memory),
    lastScaleTime: "2026-01-01T11:59:30Z",
  };
  const hpa = { ...hpaOf({ behavior }), status };
  const input = externalInput("90", 6, { hpa });
  const rescales = [
    { atMs: nowMs - 31_000, message: "New size: 6; reason: external metric queue(nil) above target" },
    { atMs: nowMs - 90_000, message: "New size: 4; reason: external metric queue(nil) above target" },
    { atMs: nowMs - 10_000, message: "failed" },
  ];
  expect(unknownMemories(input, rescales).c).toMatchObject({
    scaleUpEvents: [{ change: 2, atMs: nowMs - 31_000 }],
    scaleDownEvents: [],
  });
  const found = decideWithUnknownHistory(input, rescales);
  expect(found).toMatchObject({ history: "c", desired: { a: 8, b: 8, c: 6 } });
  expect(compareWithStatus(input, found.memory, status, { isHistoryUnknown: true, rescales }).verdict).toBe(
    "agrees",
  );
});

test("the last scale is known from the status alone", () => {
  const status = {
    currentReplicas: 9,
    desiredReplicas: 6,
    lastScaleTime: "2026-01-01T11:59:30Z",
    conditions: [],
  };
  const input = externalInput("60", 6, { hpa: { ...hpaOf({}), status } });
  expect(unknownMemories(input).c.scaleDownEvents).toEqual([{ change: 3, atMs: nowMs - 30_000 }]);
});

test("values of a status are measured once, not for each memory", () => {
  let reads = 0;
  const input = cpu(640, 6);
  const samples = input.samples[0];
  const counted = {
    get pods() {
      reads += 1;
      return samples !== undefined && "pods" in samples ? samples.pods : [];
    },
  };
  const conditions = statusOf(input).conditions?.map((one) =>
    one.type === "AbleToScale" ? { ...one, reason: "ScaleUpStabilized" } : one,
  );
  const status = { ...statusOf(input), conditions, desiredReplicas: 99 };
  const { verdict } = compareWithStatus({ ...input, samples: [counted] }, old, status, {
    isHistoryUnknown: true,
  });
  expect(verdict).toBe("differs");
  expect(reads).toBeLessThan(400);
});
