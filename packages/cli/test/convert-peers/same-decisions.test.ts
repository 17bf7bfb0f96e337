// Random objects of each kind: what the converted object decides is what the source's own rules decide, or nothing is written.
import type { MetricSamples } from "@plimsoll/core";
import { readSchedules, scheduleState, zoneOffset } from "@plimsoll/core/schedules";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { kedaReplicas, type ModelTrigger } from "./keda-model.ts";
import { cron, prometheus, scaledObject } from "./keda-objects.ts";
import { type Vector, valueOf } from "./promql-values.ts";
import { type Converted, convert, type Fields, specOf } from "./rig.ts";
import { settled, type WlaSpec } from "./settled.ts";

const trigger = fc.record({
  kind: fc.constantFrom<ModelTrigger["kind"]>("prometheus", "prometheus", "cron"),
  isValue: fc.boolean(),
  threshold: fc.constant(10),
  activation: fc.constantFrom(0, 5),
  ignoresNull: fc.boolean(),
  value: fc.constantFrom<Vector>(undefined, 0, 4, 25, 60, 140, 400),
});

const scaled = fc.record({
  min: fc.constantFrom(0, 1, 2, 3),
  max: fc.constantFrom(6, 13),
  idle: fc.constantFrom(undefined, undefined, 0),
  fallback: fc.constantFrom(undefined, 0, 3, 6),
  failureThreshold: fc.constantFrom(0, 1, 3),
  triggers: fc.array(trigger, { minLength: 1, maxLength: 3 }),
  from: fc.integer({ min: 1, max: 10 }),
});

/** Of a cron trigger: active at noon, or not. */
function asTrigger(
  { kind, isValue, threshold, activation, ignoresNull, value }: ModelTrigger,
  index: number,
) {
  if (kind === "cron")
    return cron({
      timezone: "UTC",
      ...(value === undefined
        ? { start: "0 18 * * *", end: "0 8 * * *" }
        : { start: "0 8 * * *", end: "0 18 * * *" }),
      desiredReplicas: String(value ?? 5),
    });
  return prometheus(
    {
      query: `sum(series${index})`,
      threshold: String(threshold),
      activationThreshold: String(activation),
      ignoreNullValues: String(ignoresNull),
    },
    { metricType: isValue ? "Value" : "AverageValue" },
  );
}

function samplesOf(
  { rules }: Pick<Converted, "rules">,
  spec: WlaSpec,
  values: Readonly<Record<string, Vector>>,
) {
  return (spec.metrics ?? []).map(({ external }): MetricSamples => {
    const rule = rules.find(({ name }) => (name as Fields)["as"] === external?.metric.name);
    const value = valueOf(String(rule?.["metricsQuery"]), values);
    return value === undefined ? { error: "no metrics returned" } : { values: [{ value: String(value) }] };
  });
}

test("a ScaledObject scales to KEDA's replicas, or a note or a problem says why not", async () => {
  let compared = 0;
  await assertProperty(
    fc.asyncProperty(scaled, async ({ from, failureThreshold, triggers: drawn, ...model }) => {
      const triggers = drawn.map((one) =>
        one.kind === "cron"
          ? {
              ...one,
              isValue: false,
              threshold: 1,
              activation: 1,
              value: one.value === undefined ? undefined : 5,
            }
          : one,
      );
      const rests = (model.idle ?? model.min) < Math.max(1, model.min);
      const fails = triggers.some(
        ({ kind, value, ignoresNull }) => kind === "prometheus" && value === undefined && !ignoresNull,
      );
      // What KEDA's own loop does about failures beside its HPA's is not modeled.
      fc.pre(!(rests && fails));
      const { min: minReplicaCount, max: maxReplicaCount, idle: idleReplicaCount, fallback } = model;
      const converted = await convert(
        stringify(
          scaledObject({
            minReplicaCount,
            maxReplicaCount,
            idleReplicaCount,
            fallback: fallback === undefined ? undefined : { failureThreshold, replicas: fallback },
            triggers: triggers.map(asTrigger),
          }),
        ),
      );
      const isNamed = converted.notes.some(({ path }) => /minReplicaCount|idleReplicaCount/.test(path));
      if (converted.problems.length > 0 || isNamed) return;
      compared += 1;
      const spec = specOf(converted) as object as WlaSpec;
      const values = Object.fromEntries(triggers.map(({ value }, index) => [`series${index}`, value]));
      const expected = kedaReplicas({ ...model, triggers }, from);
      expect(settled(spec, samplesOf(converted, spec, values), from)).toBe(expected);
      // From zero an HPA begins with one replica; within its tolerance ours may begin with one more.
      const started = rests ? settled(spec, samplesOf(converted, spec, values), 0) : expected;
      expect(started > 0).toBe(expected > 0);
    }),
    { numRuns: 400 },
  );
  expect(compared).toBeGreaterThan(20);
});

const job = fc.record({
  hour: fc.integer({ min: 0, max: 23 }),
  size: fc.integer({ min: 0, max: 6 }),
  isWeekday: fc.boolean(),
});

test("a CronHorizontalPodAutoscaler has the size of the job that ran last, or a problem", async () => {
  await assertProperty(
    fc.asyncProperty(
      fc.uniqueArray(job, { selector: ({ hour }) => hour, minLength: 1, maxLength: 4 }),
      async (jobs) => {
        const object = {
          apiVersion: "autoscaling.alibabacloud.com/v1beta1",
          kind: "CronHorizontalPodAutoscaler",
          metadata: { name: "shop", namespace: "web" },
          spec: {
            scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
            jobs: jobs.map(({ hour, size, isWeekday }, index) => ({
              name: `job-${index}`,
              schedule: `0 0 ${hour} * * ${isWeekday ? "MON-FRI" : "*"}`,
              targetSize: size,
            })),
          },
        };
        const converted = await convert(stringify(object), "--time-zone=UTC");
        if (converted.problems.length > 0) return;
        const { schedules = [], ...spec } = specOf(converted) as object as WlaSpec;
        const bounds = { minReplicas: spec.minReplicas ?? 1, maxReplicas: spec.maxReplicas };
        const read = readSchedules(schedules, { zone: zoneOffset, bounds });
        // From a Monday on, after a week in which each job ran.
        for (let hour = 0; hour < 7 * 24; hour++) {
          const atMs = Date.parse("2026-06-08T00:30:00Z") + hour * 3_600_000;
          const { floor, ceiling } = scheduleState(read.schedules, atMs);
          expect([hour, Math.min(floor ?? bounds.minReplicas, ceiling ?? Number.POSITIVE_INFINITY)]).toEqual([
            hour,
            sizeAt(jobs, atMs),
          ]);
        }
      },
    ),
    { numRuns: 100 },
  );
});

/** Of the job that ran last. */
function sizeAt(
  jobs: readonly { readonly hour: number; readonly size: number; readonly isWeekday: boolean }[],
  atMs: number,
) {
  for (let hour = Math.floor(atMs / 3_600_000); ; hour--) {
    const date = new Date(hour * 3_600_000);
    const isWeekday = date.getUTCDay() % 6 !== 0;
    const found = jobs.find((one) => one.hour === date.getUTCHours() && (isWeekday || !one.isWeekday));
    if (found !== undefined) return found.size;
  }
}

const target = fc.record({
  type: fc.constantFrom("Value", "AverageValue", "Utilization"),
  field: fc.constantFrom("value", "averageValue"),
});

test("a HorizontalPodAutoscaler decides the same as a WorkloadAutoscaler, whatever its targets say, or there is a problem", async () => {
  let compared = 0;
  await assertProperty(
    fc.asyncProperty(
      fc.array(target, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("4", "25", "60", "140"),
      fc.integer({ min: 1, max: 10 }),
      async (targets, value, from) => {
        const spec = {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
          minReplicas: 1,
          maxReplicas: 12,
          metrics: targets.map(({ type, field }, index) => ({
            type: "External",
            external: { metric: { name: `m${index}` }, target: { type, [field]: "10" } },
          })),
        };
        const hpa = {
          apiVersion: "autoscaling/v2",
          kind: "HorizontalPodAutoscaler",
          metadata: { name: "shop" },
          spec,
        };
        const converted = await convert(stringify(hpa));
        if (converted.problems.length > 0) return;
        compared += 1;
        const samples = targets.map((): MetricSamples => ({ values: [{ value }] }));
        const written = specOf(converted) as object as WlaSpec;
        expect(settled(written, samples, from)).toBe(settled(spec as object as WlaSpec, samples, from));
      },
    ),
    { numRuns: 100 },
  );
  expect(compared).toBeGreaterThan(5);
});
