import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { applyPolicies } from "../src/decide/steps/index.ts";
import { type DecideInput, decide, type HpaMemory, type Pod } from "../src/index.ts";
import { evaluation, inputOf, memory, rules } from "./evaluations.ts";
import {
  cpuSamples,
  cpuUtilization,
  externalInput,
  hpaOf,
  nowMs,
  podsMetric,
  podsSamples,
  readyPod,
} from "./fixtures.ts";

const runs = { numRuns: 1000 };

test("what is written lies within [min, max]", () => {
  assertProperty(
    fc.property(evaluation, (given) => {
      const { scaleTo } = decide(inputOf(given), given.memory).decision;
      const written = scaleTo ?? given.bounds.min;
      expect(written).toBeGreaterThanOrEqual(given.bounds.min);
      expect(written).toBeLessThanOrEqual(given.bounds.max);
    }),
    runs,
  );
});

test("the same input and memory give the same decision, and memory survives JSON", () => {
  assertProperty(
    fc.property(evaluation, (given) => {
      const first = decide(inputOf(given), given.memory);
      const stored = JSON.parse(JSON.stringify(given.memory)) as HpaMemory;
      expect(decide(JSON.parse(JSON.stringify(inputOf(given))) as DecideInput, stored)).toEqual(first);
      expect(JSON.parse(JSON.stringify(first.memory))).toEqual(first.memory);
      expect(JSON.parse(JSON.stringify(first.decision.trace))).toEqual(first.decision.trace);
      expect(JSON.parse(JSON.stringify(first.decision.status))).toEqual(first.decision.status);
    }),
    runs,
  );
});

test("more load never calls for fewer replicas", () => {
  assertProperty(
    fc.property(evaluation, fc.nat(300), (given, more) => {
      const low = decide(inputOf(given), given.memory).decision.desiredReplicas;
      const high = decide(inputOf({ ...given, total: given.total + more }), given.memory).decision
        .desiredReplicas;
      expect(high).toBeGreaterThanOrEqual(low);
    }),
    runs,
  );
});

const phases = fc.constantFrom("Running", "Pending", "NoCondition");

function podIn(state: string, i: number): Pod {
  const pod = readyPod(`pod-${i}`);
  if (state === "Pending") return { ...pod, status: { phase: "Pending" } };
  return state === "NoCondition" ? { ...pod, status: { phase: "Running" } } : pod;
}

test("on the way down every pod without a sample keeps its place", () => {
  assertProperty(
    fc.property(
      fc.array(fc.record({ state: phases, usage: fc.option(fc.constantFrom("0", "200m", "500m", "2")) }), {
        minLength: 1,
        maxLength: 12,
      }),
      fc.boolean(),
      (given, isCpu) => {
        const pods = given.map(({ state }, i) => podIn(state, i));
        const all = isCpu
          ? cpuSamples(given.map(({ usage }) => usage ?? "0"))
          : podsSamples(given.map(({ usage }) => usage ?? "0"));
        const samples = { pods: all.pods.filter((_, i) => given[i]?.usage !== null) };
        const hpa = hpaOf({ metrics: [isCpu ? cpuUtilization(50) : podsMetric("500m")], maxReplicas: 100 });
        const missing = given.filter(({ state, usage }) => usage === null && state !== "Pending").length;
        const input = externalInput("0", given.length, { hpa, pods: { ok: true, pods }, samples: [samples] });
        const { desiredReplicas, outcome } = decide(input, settledMemory).decision;
        const lowest = outcome.action === "scale_down" ? missing : 0;
        expect(desiredReplicas).toBeGreaterThanOrEqual(lowest);
      },
    ),
    runs,
  );
});

test("a failed metric never brings a scale-down", () => {
  assertProperty(
    fc.property(evaluation, (given) => {
      const input = inputOf(given);
      const hpa = hpaOf({ ...input.hpa.spec, metrics: [...(input.hpa.spec.metrics ?? []), podsMetric("1")] });
      const samples = [...input.samples, { error: "down" }];
      fc.pre(given.current >= given.bounds.min && given.current <= given.bounds.max);
      expect(decide({ ...input, hpa, samples }, given.memory).decision.outcome.action).not.toBe("scale_down");
    }),
    runs,
  );
});

const settledMemory: HpaMemory = {
  recommendations: [{ replicas: 1, atMs: nowMs - 900_000 }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};

test("policies are never exceeded, whatever happened before", () => {
  assertProperty(
    fc.property(
      rules,
      memory,
      fc.integer({ min: 1, max: 40 }),
      fc.nat(400),
      (side, log, currentReplicas, desiredReplicas) => {
        const { recommendations: _, ...events } = log;
        const input = {
          nowMs,
          currentReplicas,
          desiredReplicas,
          minReplicas: 0,
          maxReplicas: 1000,
          behavior: { scaleUp: side, scaleDown: side },
          ...events,
        };
        const { replicas, trace } = applyPolicies(input);
        const [rate] = trace;
        const limit = rate?.kind === "rate" ? rate.limit : currentReplicas;
        const isDown = rate?.kind === "rate" && rate.direction === "down";
        expect(replicas).toBeLessThanOrEqual(isDown ? currentReplicas : Math.max(limit, currentReplicas));
        expect(replicas).toBeGreaterThanOrEqual(isDown ? Math.min(limit, currentReplicas) : currentReplicas);
      },
    ),
    runs,
  );
});
