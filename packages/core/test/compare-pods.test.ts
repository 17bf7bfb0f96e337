import { expect, test } from "vitest";
import { compareWithStatus, type DecideInput, decide, type Pod, type StoredHpaStatus } from "../src/index.ts";
import { cpu, old, statusOf } from "./comparisons.ts";
import { cpuUtilization, externalInput, hpaOf, nowMs, readyPod, readyPods } from "./fixtures.ts";

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

test.each([[[null]], ["x"], [{}]])("metrics that are none are no failure", (metrics) => {
  const input = externalValue(readySince(() => 5));
  const { hpa } = input;
  const odd = { ...input, hpa: { ...hpa, spec: { ...hpa.spec, metrics } } } as unknown as DecideInput;
  expect(compareWithStatus(odd, old, statusOfSome(3)).verdict).not.toBe("agrees");
});
