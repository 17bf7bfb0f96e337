import { expect, test } from "vitest";
import { withSchedules } from "../src/decide/schedules/index.ts";
import {
  type DecideInput,
  decide,
  type HpaMemory,
  headLine,
  summarize,
  withFailedRescale,
} from "../src/index.ts";
import { cpuSamples, cpuUtilization, externalInput, hpaOf, nowMs, readyPods } from "./fixtures.ts";

const old: HpaMemory = {
  recommendations: [{ replicas: 1, atMs: nowMs - 900_000 }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};
const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] } };
const limited = { hpa: hpaOf({ behavior, maxReplicas: 20 }) };
const cpu = (usage: string, replicas: number): DecideInput =>
  externalInput("0", replicas, {
    hpa: hpaOf({ metrics: [cpuUtilization(50)] }),
    pods: { ok: true, pods: readyPods(replicas) },
    samples: [cpuSamples(Array.from({ length: replicas }, () => usage))],
  });
const recent = { ...old, scaleUpEvents: [{ change: 2, atMs: nowMs - 20_000 }] };
const ceiling = {
  atMs: nowMs,
  floor: undefined,
  ceiling: 4,
  active: [{ name: "night", ceiling: 4 }],
  nextMs: nowMs + 60_000,
};
const stored = (lastScaleTime: string) => ({
  hpa: { ...hpaOf({}), status: { lastScaleTime } },
  options: { downscaleForbiddenWindowMs: 300_000 },
});

test.each<[string, DecideInput, HpaMemory | undefined, string, string]>([
  ["nothing", externalInput("40", 3), old, "none", "Scaling from 3 to 4 replicas: queue calls for 4"],
  [
    "the tolerance",
    cpu("530m", 4),
    old,
    "tolerance",
    "Staying at 4 replicas: cpu is within tolerance (ratio 1.06)",
  ],
  ["a ratio of one", cpu("500m", 4), old, "none", "Staying at 4 replicas: cpu calls for 4"],
  [
    "the window",
    externalInput("20", 4),
    { ...old, recommendations: [{ replicas: 4, atMs: nowMs - 60_000 }] },
    "stabilize",
    "Staying at 4 replicas: metrics call for 2, but a recommendation of 4 is in the stabilization window until at least 12:04:00",
  ],
  [
    "the rate, in part",
    externalInput("90", 4, limited),
    old,
    "rate",
    "Scaling from 4 to 6 replicas: metrics call for 9, but scale-up policies allow only 6 until at least 12:01:00",
  ],
  [
    "the rate",
    externalInput("90", 4, limited),
    recent,
    "rate",
    "Staying at 4 replicas: metrics call for 9, but scale-up policies allow only 4 until at least 12:00:40",
  ],
  [
    "a direction that is disabled",
    externalInput("90", 4, { hpa: hpaOf({ behavior: { scaleUp: { selectPolicy: "Disabled" } } }) }),
    old,
    "rate",
    "Staying at 4 replicas: metrics call for 9, but scaling up is disabled",
  ],
  [
    "the maximum",
    externalInput("730", 10),
    old,
    "max",
    "Staying at 10 replicas: metrics call for 73, but maxReplicas is 10",
  ],
  [
    "the minimum",
    externalInput("10", 3, { hpa: hpaOf({ minReplicas: 2 }) }),
    old,
    "min",
    "Scaling from 3 to 2 replicas: metrics call for 1, but minReplicas is 2",
  ],
  ["the bounds", externalInput("10", 12), old, "max", "Scaling from 12 to 10 replicas: maxReplicas is 10"],
  [
    "a schedule",
    withSchedules(externalInput("90", 4), ceiling),
    old,
    "schedule",
    "Staying at 4 replicas: metrics call for 9, but schedule night sets the limits [1, 4] until at least 12:01:00",
  ],
  [
    "a cooldown",
    externalInput("20", 4, stored("2026-01-01T11:58:00Z")),
    old,
    "cooldown",
    "Staying at 4 replicas: metrics call for 2, but no change is allowed so soon after the last scale until at least 12:03:00",
  ],
  [
    "a failure",
    externalInput("0", 3, { samples: [{ error: "down" }] }),
    old,
    "failed",
    "Staying at 3 replicas: no metric could be read (queue: FailedGetExternalMetric)",
  ],
  [
    "the scale",
    externalInput("0", 3, { scale: { ok: false, message: "not found" } }),
    old,
    "failed",
    "No change: cannot read the target's scale: not found",
  ],
  [
    "a target at zero",
    externalInput("90", 0),
    old,
    "disabled",
    "Staying at 0 replicas: scaling is off while the target has 0 replicas; scale it up to turn it on",
  ],
  [
    "the selector",
    externalInput("90", 3, { ambiguousWith: ["shop/web", "shop/other"] }),
    old,
    "selector",
    "Staying at 3 replicas: the selector can't be used (AmbiguousSelector)",
  ],
])("held by %s", (...[, input, memory, heldBy, line]) => {
  const { decision } = decide(input, memory);
  expect(summarize(decision).heldBy).toBe(heldBy);
  expect(headLine(decision)).toBe(line);
});

test("a failed metric that forbids a scale-down holds it", () => {
  const input = cpu("10m", 4);
  const hpa = hpaOf({ metrics: [cpuUtilization(50), ...(hpaOf({}).spec.metrics ?? [])] });
  const { decision } = decide({ ...input, hpa, samples: [...input.samples, { error: "down" }] }, old);
  expect(summarize(decision)).toMatchObject({
    proposed: 1,
    desired: 4,
    action: "hold",
    heldBy: "blocked",
    decidedBy: null,
  });
  expect(headLine(decision)).toBe(
    "Staying at 4 replicas: metrics call for 1, but queue failed, which blocks scaling down",
  );
});

test("the latest of the recommendations that hold says until when", () => {
  const recommendations = [
    { replicas: 6, atMs: nowMs - 200_000 },
    { replicas: 4, atMs: nowMs - 90_000 },
    { replicas: 4, atMs: nowMs - 120_000 },
    { replicas: 3, atMs: nowMs - 10_000 },
  ];
  const notBefore = (spec: object) =>
    summarize(decide(externalInput("20", 4, { hpa: hpaOf(spec) }), { ...old, recommendations }).decision)
      .notBefore;
  expect(notBefore({ behavior: {} })).toBe("2026-01-01T12:03:30Z");
  // Without behavior the highest recommendation is the count, whatever it is now.
  expect(notBefore({})).toBe("2026-01-01T12:01:40Z");
});

test("a mode or a recomputation decides what would be done", () => {
  const shadow = decide(externalInput("40", 3, { mode: "Shadow" }), old).decision;
  expect(headLine(shadow)).toBe("Would scale from 3 to 4 replicas: queue calls for 4");
  const { decision } = decide(externalInput("40", 3), old);
  expect(headLine(decision, { isRecomputed: true })).toBe(
    "Would scale from 3 to 4 replicas: queue calls for 4",
  );
});

test("a scale that could not be written is a failure", () => {
  const failed = withFailedRescale(decide(externalInput("40", 3), old), "conflict");
  expect(summarize(failed.decision)).toMatchObject({
    desired: 3,
    proposed: 4,
    action: "none",
    heldBy: "failed",
  });
  expect(headLine(failed.decision)).toBe(
    "Staying at 3 replicas: failed to rescale Deployment/shop/web: conflict",
  );
});

test("a time on another day has its date", () => {
  const input = externalInput("20", 4);
  const memory = { ...old, recommendations: [{ replicas: 4, atMs: nowMs - 60_000 }] };
  expect(headLine(decide(input, memory).decision, { atMs: nowMs - 86_400_000 })).toContain(
    "2026-01-01 12:04:00",
  );
});
