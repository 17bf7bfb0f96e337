import {
  type DecideInput,
  decide,
  type HpaMemory,
  type MetricSamples,
  type MetricSpec,
} from "@plimsoll/core";
import { expect, test } from "vitest";
import { decideWithPolicies, type FailurePolicy, type GoodReading } from "../../src/wla/failure-policy.ts";

const nowMs = Date.parse("2030-01-01T00:00:00Z");

const external = (name: string): MetricSpec => ({
  type: "External",
  external: { metric: { name }, target: { type: "AverageValue", averageValue: "10" } },
});
const failed: MetricSamples = { error: "unable to fetch metrics from external metrics API: down" };
const reading = (value: string): MetricSamples => ({ values: [{ value }] });

function input(samples: readonly MetricSamples[], replicas = 4): DecideInput {
  return {
    nowMs,
    hpa: {
      metadata: { name: "shop", namespace: "default" },
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "shop", apiVersion: "apps/v1" },
        minReplicas: 1,
        maxReplicas: 12,
        metrics: samples.map((_, index) => external(`m${index}`)),
        behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
      },
    },
    scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=shop" },
    pods: { ok: true, pods: [] },
    samples,
  };
}

function run(
  samples: readonly MetricSamples[],
  policies: readonly FailurePolicy[],
  o: { good?: readonly (GoodReading | undefined)[]; replicas?: number } = {},
) {
  return decideWithPolicies(input(samples, o.replicas), {
    decide,
    memory: undefined,
    policies,
    good: o.good ?? [],
  });
}

test("Block is upstream's rule: a failed metric lets nothing scale down", () => {
  const { result, steps } = run([failed, reading("10")], [{ policy: "Block" }]);
  expect(result).toEqual(decide(input([failed, reading("10")])));
  expect(result.decision.scaleTo).toBeUndefined();
  expect(steps).toEqual([]);
});

test("Ignore lets the others decide, and still tells of the failure", () => {
  const { result, steps } = run([failed, reading("10")], [{ policy: "Ignore" }]);
  expect(result.decision.scaleTo).toBe(1);
  expect(steps).toMatchObject([{ index: 0, policy: "Ignore", isApplied: true }]);
  expect(result.decision.events.map(({ reason }) => reason)).toContain("FailedGetExternalMetric");
  const metrics = result.decision.trace.filter(({ kind }) => kind === "metric");
  expect(metrics).toMatchObject([{ index: 1 }]);
});

test("Ignore on every metric that there is leaves the count alone", () => {
  const { result } = run([failed], [{ policy: "Ignore" }]);
  expect(result.decision.scaleTo).toBeUndefined();
  expect(result.decision.outcome.error).toBe("internal");
});

test("HoldLast takes the last good reading for as long as it says, and then blocks", () => {
  const policy: FailurePolicy = { policy: "HoldLast", forSeconds: 60 };
  const seen = run([reading("80")], [policy]);
  expect(seen.good).toEqual([{ samples: reading("80"), atMs: nowMs }]);
  const held = run([failed], [policy], { good: [{ samples: reading("80"), atMs: nowMs - 60_000 }] });
  expect(held.result.decision.scaleTo).toBe(8);
  expect(held.good).toEqual([{ samples: reading("80"), atMs: nowMs - 60_000 }]);
  const old = run([failed], [policy], { good: [{ samples: reading("80"), atMs: nowMs - 60_001 }] });
  expect(old.result.decision.scaleTo).toBeUndefined();
  expect(old.steps).toMatchObject([{ isApplied: false }]);
});

test("Assume puts a value in its place", () => {
  const { result, steps } = run([failed], [{ policy: "Assume", value: "70" }]);
  expect(result.decision.scaleTo).toBe(7);
  expect(steps[0]?.effect).toBe("70 is assumed");
});

test("Fallback is a floor: never below it, and never in the way of a higher proposal", () => {
  const policies: readonly FailurePolicy[] = [{ policy: "Fallback", replicas: 6 }];
  expect(run([failed, reading("20")], policies).result.decision.scaleTo).toBe(6);
  expect(run([failed, reading("80")], policies, { replicas: 7 }).result.decision.scaleTo).toBe(8);
  expect(run([failed, reading("20")], policies, { replicas: 9 }).result.decision.scaleTo).toBe(6);
  // Alone, it holds what is there above the floor.
  expect(run([failed], policies, { replicas: 9 }).result.decision.scaleTo).toBeUndefined();
  expect(run([failed], policies, { replicas: 2 }).result.decision.scaleTo).toBe(6);
});

test("Fallback rises as fast as the policies of scaleUp let it, and no faster", () => {
  const scaleUp = { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] };
  const policies: readonly FailurePolicy[] = [{ policy: "Fallback", replicas: 9 }];
  let memory: HpaMemory | undefined;
  const counts: number[] = [];
  let replicas = 2;
  for (let second = 0; second <= 240; second += 15) {
    const asked = input([failed, reading("10")], replicas);
    const { spec } = asked.hpa;
    const hpa = { ...asked.hpa, spec: { ...spec, behavior: { ...spec.behavior, scaleUp } } };
    const { result } = decideWithPolicies(
      { ...asked, hpa, nowMs: nowMs + second * 1000 },
      { decide, memory, policies, good: [] },
    );
    memory = result.memory;
    replicas = result.decision.desiredReplicas;
    counts.push(replicas);
  }
  expect(counts).toEqual([4, 4, 4, 4, 6, 6, 6, 6, 8, 8, 8, 8, 9, 9, 9, 9, 9]);
  const disabled = input([failed]);
  const { spec } = disabled.hpa;
  const hpa = { ...disabled.hpa, spec: { ...spec, behavior: { scaleUp: { selectPolicy: "Disabled" } } } };
  const held = decideWithPolicies({ ...disabled, hpa }, { decide, memory: undefined, policies, good: [] });
  expect(held.result.decision.scaleTo).toBeUndefined();
});

test("on the way to its floor the other metrics may want more", () => {
  const policies: readonly FailurePolicy[] = [{ policy: "Fallback", replicas: 5 }];
  expect(run([failed, reading("80")], policies).result.decision.scaleTo).toBe(8);
});

test("a Fallback above maxReplicas is cut to it", () => {
  const policies: readonly FailurePolicy[] = [{ policy: "Fallback", replicas: 99 }];
  expect(run([failed], policies, { replicas: 7 }).result.decision.scaleTo).toBe(12);
});
