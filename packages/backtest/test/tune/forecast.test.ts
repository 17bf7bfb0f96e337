// Next week's floors out of a history, and the days that it has.
import { zoneOffset } from "@plimsoll/core/schedules";
import type { Load } from "@plimsoll/simulator";
import {
  constant,
  externalMetric,
  hpa,
  loadCursor,
  scenario,
  startMs,
  workload,
} from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import { forecastFloors } from "../../src/index.ts";
import { loadTarget, mondayMs, monthRequest } from "../../src/testing/month.ts";
import { minutesOf, wholeDays } from "../../src/tune/days.ts";
import { outlyingDays, trendOf } from "../../src/tune/outlying.ts";
import { withStress } from "../../src/tune/stress.ts";

const dayMs = 86_400_000;
const month = monthRequest({ today: loadTarget(60), days: 22 });

test("each half hour of the next week has a floor within the bounds, and the entries are never below it", () => {
  const forecast = forecastFloors(month);
  if (!forecast.ok) throw new Error(forecast.message);
  expect(forecast.quantile).toBe(0.9);
  expect(forecast.slots).toHaveLength(336);
  expect(forecast.slots[0]?.fromMs).toBe(mondayMs + 22 * dayMs);
  const floors = forecast.slots.map(({ replicas }) => replicas);
  expect(Math.min(...floors)).toBeGreaterThanOrEqual(2);
  expect(Math.max(...floors)).toBeLessThanOrEqual(60);
  expect(Math.max(...forecast.schedules.map(({ minReplicas = 0 }) => minReplicas))).toBe(Math.max(...floors));
  expect(forecast.schedules.every(({ timeZone }) => timeZone === "UTC")).toBe(true);
  // Days differ by up to 8 % and tops by half an hour, on about 20 pods.
  expect(forecast.loss).toBeGreaterThan(0);
  expect(forecast.loss).toBeLessThan(2);
  expect(forecast.lossOfWeekBefore).toBeGreaterThan(forecast.loss);
});

test.each([
  {
    what: "a short history",
    request: {
      timeZone: "Asia/Tokyo",
      recording: { ...month.recording, span: { fromMs: mondayMs, toMs: mondayMs + 21 * dayMs } },
    },
    says: /has 20 whole days in Asia\/Tokyo, but floors need 21: record a longer time/,
  },
  {
    what: "no time zone",
    request: { timeZone: "Nowhere" },
    says: /Nowhere is not a time zone: use a value such as/,
  },
  { what: "no quantile", request: { quantile: 90 }, says: /quantile 90 must be from 0 to 1/ },
  {
    what: "a target that is not an amount of a pod",
    request: {
      autoscaler: hpa({
        metrics: [
          {
            ...externalMetric("load", "1"),
            external: { metric: { name: "load" }, target: { type: "Value", value: "9" } },
          },
        ],
      }),
    },
    says: /the target is not a per-pod amount/,
  },
])("no floors: $what", ({ request, says }) => {
  const forecast = forecastFloors({ ...month, ...request });
  expect(forecast.ok ? "" : forecast.message).toMatch(says);
});

const bucketMs = 60_000;

function seriesOf(fromMs: number, days: number) {
  return {
    series: {
      fromMs,
      bucketMs,
      resolutionMs: bucketMs,
      perSecond: Float64Array.from({ length: (days * dayMs) / bucketMs }, (_, at) => at % 1440),
      bridged: [],
      leftOut: [{ fromMs: fromMs + 1.5 * dayMs, toMs: fromMs + 1.5 * dayMs + 600_000 }],
    },
  };
}

test("days are from midnight to midnight of the zone, 23 hours where clocks go ahead; those with gaps are left out", () => {
  const offset = zoneOffset("Europe/Berlin");
  if (offset === undefined) throw new Error("the zone is unknown");
  const fromMs = Date.parse("2026-03-26T12:00:00Z");
  const span = { fromMs, toMs: fromMs + 4 * dayMs };
  const { days, leftOut } = wholeDays({ span }, seriesOf(fromMs, 4), offset);
  expect(days.map(({ date, weekday }) => [date, weekday])).toEqual([
    ["2026-03-27", 5],
    ["2026-03-29", 0],
  ]);
  expect(days.map(({ toMs, fromMs: from }) => (toMs - from) / 3_600_000)).toEqual([24, 23]);
  expect(leftOut).toEqual([
    { date: "2026-03-26", why: "the recording has only a part of this day" },
    { date: "2026-03-28", why: "10 min are without samples" },
    { date: "2026-03-30", why: "the recording has only a part of this day" },
  ]);
});

test("minutes are means, also of shorter buckets", () => {
  const series = {
    ...seriesOf(0, 1).series,
    bucketMs: 15_000,
    perSecond: Float64Array.of(1, 2, 3, 6, 5, 5, 5, 5),
  };
  expect(minutesOf(series, { fromMs: 0, toMs: 120_000 })).toEqual([3, 5]);
});

test("a day far from the others of its kind is named, and halves that differ are a trend", () => {
  const days = Array.from({ length: 14 }, (_, at) => ({
    date: `day ${at}`,
    fromMs: at * dayMs,
    toMs: (at + 1) * dayMs,
    weekday: (at + 1) % 7,
    mean: at % 7 >= 5 ? 50 : at === 9 ? 300 : 100,
    peak: 400,
  }));
  expect(outlyingDays(days)).toEqual([{ date: "day 9", ratio: 3 }]);
  expect(trendOf(days).change).toBeCloseTo(200 / 600, 12);
  expect(trendOf(days).isMoving).toBe(true);
  expect(trendOf(days.slice(0, 8)).isMoving).toBe(false);
});

test("a harder world has more load, slower pods and failing scrapes, and is the same where nothing is harder", () => {
  const plain = scenario({}, [workload({ load: constant(100) })]);
  expect(withStress(plain, {})).toBe(plain);
  const [pod] = plain.workloads.map((one) => one.pod);
  const slow = {
    ...plain,
    workloads: plain.workloads.map((one) => ({
      ...one,
      pod: {
        ...one.pod,
        start: { ...one.pod.start, ready: { kind: "log-normal", medianMs: 10, p95Ms: 20 } as const },
      },
    })),
  };
  const hard = withStress(slow, { load: 1.2, startUp: 2, failedScrapes: 0.05 });
  expect(hard.workloads[0]?.load).toEqual(constant(120));
  expect(hard.workloads[0]?.pod.start.ready).toEqual({ kind: "log-normal", medianMs: 20, p95Ms: 40 });
  expect(hard.scraping.failures).toBe(0.05);
  expect(pod?.start.ready).toEqual({ kind: "fixed", ms: 0 });
});

test.each<Load>([
  { kind: "points", shape: "steps", atMs: [startMs], perSecond: [90] },
  { kind: "sine", mean: 90, amplitude: 20, periodMs: 600_000, peakAtMs: startMs },
  { kind: "profile", timeZone: "UTC", repeats: "daily", perSecond: [90] },
  {
    kind: "sum",
    parts: [constant(30), { kind: "spike", atMs: startMs, height: 60, riseMs: 1, holdMs: 9, fallMs: 1 }],
  },
  { kind: "noise", of: constant(90), deviation: 0.1, memoryMs: 60_000 },
  { kind: "poisson", of: constant(90), bucketMs: 1e9 },
])("a load that is $kind is more everywhere", (load) => {
  const [one] = withStress(scenario({}, [workload({ load })]), { load: 2 }).workloads;
  if (one === undefined) throw new Error("there is no workload");
  const at = (of: Load): number => {
    const cursor = loadCursor(of, startMs, { seed: 1, purpose: "test" });
    cursor.moveTo(startMs + 5);
    return cursor.perSecond;
  };
  const factor = load.kind === "poisson" ? 1 : at(one.load) / at(load);
  expect(factor).toBeCloseTo(load.kind === "poisson" ? 1 : 2, 9);
  expect(JSON.stringify(one.load)).not.toBe(JSON.stringify(load));
});
