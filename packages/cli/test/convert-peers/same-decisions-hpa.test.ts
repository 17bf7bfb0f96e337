// Random HPAs with what other controllers do to them: what the converted object decides is what both decide together, or nothing
// is written.
import type { MetricSamples } from "@plimsoll/core";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { convertAll as convert, external, hpa as peerHpa, schedule, scheduled } from "./peer-hpa.ts";
import { type Vector, valueOf } from "./promql-values.ts";
import { type Converted, type Fields, specOf } from "./rig.ts";
import { noonMs, settled, type WlaSpec } from "./settled.ts";

const hourMs = 3_600_000;
const deployment = { apiVersion: "apps/v1", kind: "Deployment", name: "myapp" };

const job = fc.record({ hour: fc.integer({ min: 0, max: 23 }), size: fc.integer({ min: 1, max: 9 }) });
type Job = typeof job extends fc.Arbitrary<infer J> ? J : never;

function cronHpa(jobs: readonly Job[], scaleTargetRef: object) {
  return {
    apiVersion: "autoscaling.alibabacloud.com/v1beta1",
    kind: "CronHorizontalPodAutoscaler",
    metadata: {
      name: "myapp",
      namespace: "web",
      annotations: { "autoscaling.plimsoll.dev/time-zone": "UTC" },
    },
    spec: {
      scaleTargetRef,
      jobs: jobs.map(({ hour, size }, index) => ({
        name: `job-${index}`,
        schedule: `0 0 ${hour} * * *`,
        targetSize: size,
      })),
    },
  };
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** kubernetes-cronhpa-controller at the time of a job, for an HPA as its target (ScaleHPA). */
function moved({ min, max }: Bounds, { size }: Job, current: number): Bounds {
  const isLowered = size < min || (current === min && size < current);
  return { min: isLowered || current < size ? size : min, max: Math.max(max, size) };
}

/** The replicas of an HPA whose metric always proposes the same. */
const clamped = (proposal: number, { min, max }: Bounds): number => Math.min(max, Math.max(min, proposal));

const drawn = fc.record({
  jobs: fc.uniqueArray(job, { selector: ({ hour }) => hour, minLength: 1, maxLength: 3 }),
  min: fc.integer({ min: 1, max: 3 }),
  max: fc.integer({ min: 5, max: 8 }),
  proposal: fc.integer({ min: 1, max: 10 }),
});

test("a CronHorizontalPodAutoscaler with an HPA as its target decides what both decide together, or there is a problem", async () => {
  let compared = 0;
  await assertProperty(
    fc.asyncProperty(drawn, async ({ jobs, min, max, proposal }) => {
      const hpa = withBounds(peerHpa([external("load", { metric: { name: "load" } })]), { min, max });
      const reference = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "myapp" };
      const converted = await convert(hpa, cronHpa(jobs, reference));
      if (converted.problems.length > 0) return;
      compared += 1;
      const inOrder = jobs.toSorted((one, other) => one.hour - other.hour);
      let [bounds, replicas]: [Bounds, number] = [{ min, max }, clamped(proposal, { min, max })];
      // The second day: each job has run by then.
      for (const [day, one] of [0, 1].flatMap((at) => inOrder.map((each) => [at, each] as const))) {
        bounds = moved(bounds, one, replicas);
        replicas = clamped(proposal, bounds);
        if (day === 0) continue;
        const atMs = noonMs + (one.hour - 12) * hourMs;
        expect(settledAt(converted, proposal, atMs)).toBe(replicas);
      }
    }),
    { numRuns: 60 },
  );
  expect(compared).toBeGreaterThan(5);
});

test("beside an HPA of one target each larger job is a floor until the next one, as a note says", async () => {
  let compared = 0;
  await assertProperty(
    fc.asyncProperty(drawn, async ({ jobs, min, max, proposal }) => {
      const hpa = withBounds(peerHpa([external("load", { metric: { name: "load" } })]), { min, max });
      const converted = await convert(hpa, cronHpa(jobs, deployment));
      if (converted.problems.length > 0) return;
      compared += 1;
      const least = Math.min(...jobs.map(({ size }) => size));
      expect(converted.notes.map(({ message }) => message).join()).toContain(
        `each job except those for ${least} replicas becomes a floor until the next job`,
      );
      for (const { hour, size } of jobs) {
        const atMs = noonMs + (hour - 12) * hourMs;
        const floor = size === least ? min : size;
        expect(settledAt(converted, proposal, atMs)).toBe(clamped(Math.max(floor, proposal), { min, max }));
      }
    }),
    { numRuns: 60 },
  );
  expect(compared).toBeGreaterThan(5);
});

function withBounds(hpa: ReturnType<typeof peerHpa>, { min, max }: Bounds) {
  return { ...hpa, spec: { ...hpa.spec, minReplicas: min, maxReplicas: max } };
}

function settledAt(converted: Converted, proposal: number, atMs: number): number {
  const samples: readonly MetricSamples[] = [{ values: [{ value: String(proposal * 10) }] }];
  return settled(specOf(converted) as object as WlaSpec, samples, 1, atMs);
}

const target = fc.constantFrom<Fields>(
  { type: "AverageValue", averageValue: "10" },
  { type: "Value", value: "10" },
);
const metric = fc.record({
  kind: fc.constantFrom("query", "object", "perReplica", "schedule"),
  target,
  value: fc.constantFrom<Vector>(undefined, 0, 4, 25, 60, 140),
  isActive: fc.boolean(),
});
type Drawn = typeof metric extends fc.Arbitrary<infer M> ? M : never;

/** As kube-metrics-adapter reads it: one metric of the HPA, its annotations, and its sample. */
function ofPeer({ kind, target: of, value, isActive }: Drawn, index: number) {
  const name = `m${index}`;
  if (kind === "schedule") {
    const sale = {
      ...schedule([
        {
          type: "Repeating",
          value: value ?? 0,
          durationMinutes: 120,
          period: {
            timezone: "UTC",
            startTime: isActive ? "11:00" : "20:00",
            days: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
          },
        },
      ]),
      metadata: { name },
    };
    const shown = isActive ? (value ?? 0) : 0;
    return { metric: scheduled(name), annotations: {}, others: [sale], sample: () => shown };
  }
  const isObject = kind !== "query";
  const at = `metric-config.${isObject ? "object" : "external"}.${name}.prometheus`;
  const describedObject = { apiVersion: "v1", kind: "Pod", name: "any" };
  const object = { type: "Object", object: { describedObject, metric: { name }, target: of } };
  return {
    metric: isObject ? object : external(name, { target: of }),
    annotations: {
      [`${at}/query`]: `sum(${name})`,
      ...(kind === "perReplica" ? { [`${at}/per-replica`]: "true" } : {}),
    },
    others: [],
    sample: (replicas: number) =>
      value === undefined || kind !== "perReplica" ? value : thousandths(value / Math.max(1, replicas)),
  };
}

/** The collector cuts a value to thousandths: NewMilliQuantity(int64(value * 1000)). */
const thousandths = (value: number): number => Math.trunc(value * 1000) / 1000;

function sampleOf(value: Vector, isObject = false): MetricSamples {
  if (value === undefined) return { error: "no metrics returned" };
  return isObject ? { value: String(value) } : { values: [{ value: String(value) }] };
}

test("an HPA of kube-metrics-adapter decides the same by its converted rules and schedules, or there is a problem", async () => {
  let compared = 0;
  await assertProperty(
    fc.asyncProperty(
      fc.array(metric, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(1, 2, 4, 9),
      async (metrics, from) => {
        const peers = metrics.map(ofPeer);
        const annotations = Object.assign({}, ...peers.map((one) => one.annotations));
        const hpa = peerHpa(
          peers.map((one) => one.metric),
          annotations,
        );
        const converted = await convert(hpa, ...peers.flatMap(({ others }) => others));
        if (converted.problems.length > 0) return;
        compared += 1;
        const series = Object.fromEntries(metrics.map(({ value }, index) => [`m${index}`, value]));
        const written = specOf(converted) as object as WlaSpec;
        const samples = (written.metrics ?? []).map(({ external: read }) => {
          const rule = converted.rules.find(({ name }) => (name as Fields)["as"] === read?.metric.name);
          return sampleOf(valueOf(String(rule?.["metricsQuery"]), series));
        });
        const expected = settled(
          hpa.spec as object as WlaSpec,
          (replicas) =>
            peers.map(({ metric: { type }, sample }) => sampleOf(sample(replicas), type === "Object")),
          from,
        );
        expect(settled(written, samples, from)).toBe(expected);
      },
    ),
    { numRuns: 150 },
  );
  expect(compared).toBeGreaterThan(10);
});
