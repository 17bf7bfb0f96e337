// The words of kube-controller-manager, which people search for and alerts match.
import { expect, test } from "vitest";
import {
  checkedDecideInput,
  type DecideInput,
  type Decision,
  decide,
  type HpaMemory,
  withFailedRescale,
} from "../src/index.ts";
import { externalInput, hpaOf, nowMs } from "./fixtures.ts";
import { daily, hour, start, step } from "./scheduled-decisions-rig.ts";

const settled: HpaMemory = {
  recommendations: [{ replicas: 1, atMs: nowMs - 900_000 }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};

const conditionsOf = ({ status }: Decision): readonly string[] =>
  status.conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`);
const decided = (input: DecideInput): Decision => decide(input, settled).decision;
const failing = { samples: [{ error: "the broker is away" }] };
const scaledAt = (ageMs: number) => ({
  ...hpaOf({}),
  status: {
    lastScaleTime: new Date(nowMs - ageMs).toISOString(),
    currentReplicas: 2,
    desiredReplicas: 2,
    currentMetrics: null,
    conditions: [],
  },
});

test("of a scale-up", () => {
  expect(conditionsOf(decided(externalInput("35", 2)))).toEqual([
    "AbleToScale=True SucceededRescale: the HPA controller was able to update the target scale to 4",
    "ScalingActive=True ValidMetricFound: the HPA was able to successfully calculate a replica count from external metric queue(nil)",
    "ScalingLimited=False DesiredWithinRange: the desired count is within the acceptable range",
    "ScaledToZero=False NotScaledToZero: the HPA controller did not scale the workload to zero",
  ]);
});

test("of a scale-down, and of one to zero", () => {
  const down = decided(externalInput("10", 2));
  expect(down).toMatchObject({ scaleTo: 1, reason: "All metrics below target" });
  const hpa = hpaOf({ minReplicas: 0 });
  const zero = decided({ ...externalInput("0", 2), hpa, options: { scaleToZero: true } });
  expect(zero.scaleTo).toBe(0);
  expect(conditionsOf(zero)).toContain(
    "ScaledToZero=True ScaledToZero: the HPA controller scaled the workload to zero",
  );
});

test("of a target that the HPA scaled to zero, and whose minimum is above what metrics propose", () => {
  const conditions = [{ type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "" }];
  const status = { currentReplicas: 0, desiredReplicas: 0, currentMetrics: null, conditions };
  const reasonFor = (total: string, spec: object) => {
    const hpa = { ...hpaOf({ minReplicas: 3, ...spec }), status };
    const input = { ...externalInput(total, 0), hpa, options: { scaleToZero: true } } as DecideInput;
    const { scaleTo, reason } = decided(input);
    return [scaleTo, reason];
  };
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
  expect(reasonFor("0", { behavior })).toEqual([3, "Current number of replicas below Spec.MinReplicas"]);
  expect(reasonFor("20", { behavior })).toEqual([3, "external metric queue(nil) above target"]);
  // Without behavior the limits have raised it before.
  expect(reasonFor("0", {})).toEqual([3, ""]);
});

test("of a metric that cannot be read", () => {
  const decision = decided(externalInput("35", 2, failing));
  const error =
    "unable to get external metric shop/queue/nil: unable to fetch metrics from external metrics API: the broker is away";
  const invalid = `invalid metrics (1 invalid out of 1), first error is: failed to get queue external metric value: failed to get queue external metric: ${error}`;
  const [, active] = conditionsOf(decision);
  expect(active).toBe(
    `ScalingActive=False FailedGetExternalMetric: the HPA was unable to compute the replica count: ${error}`,
  );
  expect(decision.outcome.message).toBe(
    `failed to compute desired number of replicas based on listed metrics for Deployment/shop/web: ${invalid}`,
  );
});

test("of a scale that cannot be read, and of its target's kind", () => {
  const of = (scale: DecideInput["scale"]) => {
    const decision = decided({ ...externalInput("35", 2), scale });
    return [...conditionsOf(decision), decision.outcome.message];
  };
  expect(of({ ok: false, message: "no route" })).toEqual([
    "AbleToScale=False FailedGetScale: the HPA controller was unable to get the target's current scale: no route",
    "failed to query scale subresource for Deployment/shop/web: no route",
  ]);
  expect(of({ ok: false, message: "bad", kind: "spec" }).at(-1)).toBe(
    "invalid API version in scale target reference: bad",
  );
  expect(of({ ok: true } as DecideInput["scale"]).at(-1)).toBe(
    "failed to query scale subresource for Deployment/shop/web: specReplicas and statusReplicas of the scale must be numbers",
  );
});

test("of a target at zero, and of one without a selector", () => {
  expect(conditionsOf(decided(externalInput("35", 0)))).toEqual([
    "AbleToScale=True SucceededGetScale: the HPA controller was able to get the target's current scale",
    "ScalingActive=False ScalingDisabled: scaling is disabled since the replica count of the target is zero",
  ]);
  const scale = { ok: true, specReplicas: 2, statusReplicas: 2, selector: "" } as const;
  expect(conditionsOf(decided({ ...externalInput("35", 2), scale })).at(-1)).toBe(
    "ScalingActive=False InvalidSelector: the HPA target's scale is missing a selector",
  );
});

test("of the forbidden windows after a scale", () => {
  const held = (total: string, ageMs: number) => {
    const options = { upscaleForbiddenWindowMs: 180_000, downscaleForbiddenWindowMs: 300_000 };
    return conditionsOf(decided({ ...externalInput(total, 2), hpa: scaledAt(ageMs), options }))[0];
  };
  const lead = "the time since the previous scale is still within";
  expect(held("40", 1000)).toBe(
    `AbleToScale=False BackoffBoth: ${lead} both the downscale and upscale forbidden windows`,
  );
  expect(held("10", 200_000)).toBe(
    `AbleToScale=False BackoffDownscale: ${lead} the downscale forbidden window`,
  );
  const options = { upscaleForbiddenWindowMs: 180_000 };
  const up = decided({ ...externalInput("40", 2), hpa: scaledAt(1000), options });
  expect(conditionsOf(up)[0]).toBe(`AbleToScale=False BackoffUpscale: ${lead} the upscale forbidden window`);
});

test("of a scale that failed", () => {
  const { decision } = withFailedRescale(decide(externalInput("35", 2), settled), "boom");
  expect(conditionsOf(decision)[0]).toBe(
    "AbleToScale=False FailedUpdateScale: the HPA controller was unable to update the target scale: boom",
  );
  expect(decision.outcome.message).toBe("failed to rescale Deployment/shop/web: boom");
  expect(decision.events.at(-1)?.message).toBe(
    "New size: 4; reason: external metric queue(nil) above target; error: boom",
  );
});

test("of schedules, which other controllers do not have", () => {
  const away = step(start(2), hour(10), { schedules: [daily({ maxReplicas: 0 })] });
  expect(away.scaleTo).toBe(0);
  expect(conditionsOf(away)).toContain(
    "ScaledToZero=True ScheduledToZero: a schedule scaled the workload to zero",
  );
  const world = start(2);
  const setting = { schedules: [daily({ maxReplicas: 0 })] };
  step(world, hour(10), setting);
  const held = step(world, hour(11), setting);
  expect(conditionsOf(held)).toContain(
    "ScalingActive=True ScheduledToZero: schedules keep the target at zero replicas",
  );
  expect(held.trace).toContainEqual({ kind: "disabled", isBySchedule: true });
});

test("an input that is none is refused with what it has to be", () => {
  const whole = externalInput("35", 2);
  const refusal = (data: object): string => {
    try {
      checkedDecideInput(data);
      return "";
    } catch (error) {
      return String(error);
    }
  };
  const spec = { ...hpaOf({}).spec, maxReplicas: undefined, minReplicas: -1 };
  const broken = { nowMs: "now", hpa: { ...hpaOf({}), spec }, scale: {}, pods: {}, samples: 7, options: 7 };
  expect(refusal(broken).split("\n")).toEqual([
    "DecideInputError: invalid input for decide:",
    'nowMs: "now": must be a finite number of milliseconds, such as Date.now()',
    "hpa.spec.maxReplicas: must be a whole number from 0 to 2147483647",
    "hpa.spec.minReplicas: -1: must be a whole number from 0 to 2147483647, or absent for 1",
    "options: 7: must be an object, or absent",
    "scale.ok: must be true or false",
    "pods.ok: must be true or false",
    "samples: 7: must be a list with one entry for each metric",
  ]);
  expect(refusal({ ...whole, samples: [{}] })).toContain(
    "samples[0]: an object: must be an object with error, pods, value or values",
  );
  expect(refusal({ ...whole, scale: { ok: false }, pods: { ok: true } })).toContain(
    "scale.message: must be text\npods.pods: must be a list of pods",
  );
  expect(refusal({ ...whole, scale: { ok: true }, options: { tolerance: "x" } })).toMatch(
    /options\.tolerance: "x": must be a number; leave it out for the default\nscale\.specReplicas: must be a number\nscale\.statusReplicas: must be a number\nscale\.selector: must be text$/,
  );
});

test("a condition keeps the generation that it was observed at, as upstream, and gets none", () => {
  const conditions = [
    { type: "AbleToScale", status: "True", reason: "", message: "", observedGeneration: 2 },
  ] as const;
  const status = { currentReplicas: 2, desiredReplicas: 2, currentMetrics: null, conditions };
  const { decision } = decide(externalInput("20", 2, { hpa: { ...hpaOf({}), status } }));
  const [able, active] = decision.status.conditions;
  expect(able).toMatchObject({ type: "AbleToScale", observedGeneration: 2 });
  expect(active).not.toHaveProperty("observedGeneration");
});
