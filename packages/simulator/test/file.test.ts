// Scenario files: what they mean, and that nothing in them throws.
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type FileSources,
  readAutoscaler,
  readScenario,
  renderSvg,
  scenarioOf,
  simulate,
} from "../src/index.ts";

const hpa = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "shop" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
    maxReplicas: 20,
    metrics: [
      {
        type: "Pods",
        pods: { metric: { name: "rps" }, target: { type: "AverageValue", averageValue: "50" } },
      },
    ],
  },
};

const sources: FileSources = {
  text: () => ({ ok: true, text: "time,value\n0,100\n600,300\n" }),
  objects: () => ({ ok: true, objects: [hpa] }),
};

const file = {
  apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "test" },
  start: "2026-11-27T00:00:00Z",
  duration: "10m",
  runs: 2,
  workloads: [
    {
      name: "shop",
      load: { sum: [{ constant: 100 }, { csv: { file: "load.csv" } }], noise: { deviation: "5%" } },
      pod: { serviceTime: { mean: "40ms" }, concurrency: 8, start: { ready: { median: "20s", p95: "45s" } } },
      metrics: { rps: { of: "requests", window: "30s" } },
    },
  ],
  autoscalers: [{ file: "hpa.yaml" }, { name: "other", file: "other.yaml" }],
  expect: [{ autoscaler: "other", workload: "shop", podHours: "<= 3" }],
};

test("a file is read with its units, defaults and columns", () => {
  const { file: read, problems } = readScenario(file, sources);
  expect(problems).toEqual([]);
  expect(read).toMatchObject({
    name: "test",
    runs: 2,
    scenario: {
      durationMs: 600_000,
      seed: 1,
      controller: {
        syncPeriodMs: 15_000,
        slipMs: 20,
        reactionMs: 200,
        options: { tolerance: 0.1, semantics: "1.37" },
      },
      scraping: { intervalMs: 15_000, failures: 0, promql: "3" },
      workloads: [
        {
          name: "shop",
          kind: "Deployment",
          load: { kind: "noise", deviation: 0.05, memoryMs: 20_000 },
          pod: {
            serviceTimeMs: 40,
            start: { ready: { kind: "log-normal", medianMs: 20_000, p95Ms: 45_000 } },
          },
          metrics: { rps: { of: "requests", query: "rate", windowMs: 30_000 } },
          objective: { utilization: 0.85 },
        },
      ],
    },
    columns: [{ name: "hpa.yaml", autoscalers: [{ workload: 0 }] }, { name: "other" }],
    expectations: [{ column: "other", workload: "shop", score: "podHours", compare: "<=", bound: 3 }],
  });
  if (read === undefined) throw new Error("it was not read");
  const [column] = read.columns;
  if (column === undefined) throw new Error("there is no column");
  const second = scenarioOf(read, column, 1);
  expect(second.seed).toBe(2);
  expect(simulate(second).workloads[0]?.scores.offered).toBeGreaterThan(0);
});

test.each([
  [{ syncPeriodSeconds: -5 }, "spec.tuning.syncPeriodSeconds is -5: use whole seconds from 1 to 3600"],
  [{ syncPeriodSeconds: 0 }, "spec.tuning.syncPeriodSeconds is 0: use whole seconds from 1 to 3600"],
  [
    { upscaleDelaySeconds: "30" },
    'spec.tuning.upscaleDelaySeconds is "30": use whole seconds from 0 to 3600',
  ],
  [
    { downscaleStabilizationSeconds: 3601 },
    "spec.tuning.downscaleStabilizationSeconds is 3601: use whole seconds from 0 to 3600",
  ],
  [{ tolerance: "-0.1" }, "spec.tuning.tolerance is -0.1: use 0 or more"],
])("tuning that the API server refuses is refused: %j", (tuning, message) => {
  const wla = {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "shop" },
    spec: { ...hpa.spec, tuning },
  };
  expect(readAutoscaler(wla)).toEqual({ ok: false, message });
});

test("a WorkloadAutoscaler brings its schedules, policies and tuning", () => {
  const wla = {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "shop" },
    spec: {
      ...hpa.spec,
      mode: "Shadow",
      metrics: hpa.spec.metrics.map((metric) => ({ ...metric, onMetricFailure: { policy: "Ignore" } })),
      tuning: { tolerance: 0.2, syncPeriodSeconds: 5 },
      schedules: [{ name: "night", timeZone: "UTC", start: "0 0 * * *", duration: "8h", minReplicas: 7 }],
    },
  };
  const read = readAutoscaler(wla);
  expect(read).toMatchObject({
    ok: true,
    target: { namespace: "default", name: "shop" },
    autoscaler: {
      schedules: [{ name: "night" }],
      failurePolicies: [{ policy: "Ignore" }],
      options: { tolerance: 0.2 },
      syncPeriodMs: 5000,
    },
  });
  const { file: scenario } = readScenario(file, {
    ...sources,
    objects: () => ({ ok: true, objects: [wla] }),
  });
  const [column] = scenario?.columns ?? [];
  if (scenario === undefined || column === undefined) throw new Error("it was not read");
  const run = simulate(scenarioOf(scenario, column, 0));
  // The floor of the schedule.
  expect(run.workloads[0]?.changes[0]).toMatchObject({ to: 7 });
  const series = run.workloads[0]?.series;
  if (series === undefined) throw new Error("there is no series");
  expect(new Set(series.scheduled?.slice(100))).toEqual(new Set([1]));
  expect(renderSvg("night", [{ name: "one", series }])).toContain('<rect class="schedule"');
  expect(run.syncs).toBeGreaterThan(110);
});

test("schedules alone decide without metrics", () => {
  const { metrics: _, ...spec } = hpa.spec;
  const schedules = [{ name: "night", timeZone: "UTC", start: "0 0 * * *", duration: "8h", replicas: 4 }];
  const read = readAutoscaler({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "shop" },
    spec: { ...spec, schedules },
  });
  expect(read).toMatchObject({ ok: true });
  expect(read.ok && read.autoscaler.hpa.spec.metrics).toBeUndefined();
});

describe("a query of a WorkloadAutoscaler", () => {
  const wlaOf = (query: object) => ({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "shop" },
    spec: { ...hpa.spec, metrics: [{ type: "Query", query }] },
  });
  const target = { type: "AverageValue", averageValue: 100 };

  test("is an External metric with its position as name, and keeps its PromQL", () => {
    const read = readAutoscaler(wlaOf({ promql: "sum(rate(a[2m]))", target }));
    expect(read).toMatchObject({
      ok: true,
      autoscaler: {
        hpa: {
          spec: {
            metrics: [
              {
                type: "External",
                external: { metric: { name: "query[0]" }, target: { averageValue: "100" } },
                query: { promql: "sum(rate(a[2m]))" },
              },
            ],
          },
        },
      },
    });
  });

  test.each([
    [{ promql: " ", target }, 'spec.metrics[0].query.promql: " ": must not be blank'],
    [{ promql: "a", target: { type: "Value" } }, "spec.metrics[0].query.target"],
  ])("%j is refused under its own field", (query, message) => {
    const read = readAutoscaler(wlaOf(query));
    expect(read.ok ? "" : read.message).toContain(message);
  });
});

test("a behavior with a window alone has the policies of the API", () => {
  const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
  expect(readAutoscaler({ ...hpa, spec: { ...hpa.spec, behavior } })).toMatchObject({ ok: true });
  const wrong = { scaleDown: { stabilizationWindowSeconds: -1 } };
  expect(readAutoscaler({ ...hpa, spec: { ...hpa.spec, behavior: wrong } })).toMatchObject({ ok: false });
});

test.each([
  [{ kind: "Deployment" }, "Deployment is not an autoscaler"],
  [null, "an object is not an autoscaler"],
  [{ ...hpa, spec: { ...hpa.spec, maxReplicas: 0 } }, "spec.maxReplicas"],
  [{ ...hpa, spec: { ...hpa.spec, maxReplicas: "3" } }, "spec.maxReplicas"],
])("%j is refused", (object, message) => {
  const read = readAutoscaler(object);
  expect(read.ok ? "" : read.message).toContain(message);
});

/** The file with the value at a random place replaced. */
function replaced(value: unknown, path: readonly number[], by: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof value !== "object" || value === null) return by;
  const keys = Object.keys(value);
  const key = keys[step % Math.max(1, keys.length)];
  if (key === undefined) return by;
  const inner = replaced((value as Readonly<Record<string, unknown>>)[key], rest, by);
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner };
}

test("no file throws, and one without problems runs", () => {
  const short = { ...file, duration: "1m", runs: 1 };
  const path = fc.array(fc.nat(20), { minLength: 1, maxLength: 6 });
  const scalar = fc.oneof(
    fc.constantFrom("0s", "-1s", "5%", "1h", 0, -1, 1e300, NaN, "", null),
    fc.anything(),
  );
  assertProperty(
    fc.property(path, scalar, (where, by) => {
      const { file: read, problems } = readScenario(replaced(short, where, by), sources);
      expect(read === undefined).toBe(problems.length > 0);
      const [column] = read?.columns ?? [];
      if (read === undefined || column === undefined || read.scenario.durationMs > 60_000) return;
      expect(simulate(scenarioOf(read, column, 0), { seriesPoints: 10 }).workloads.length).toBeGreaterThan(0);
    }),
    { numRuns: 2000 },
  );
});
