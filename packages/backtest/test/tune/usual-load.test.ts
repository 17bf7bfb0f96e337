// What a pod can take where that is not given: what it had in nearly all of the time, on the training days.
import { hpa, podsMetric } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import { type InferredLoad, inferLoad } from "../../src/index.ts";
import { highestPerPod, usualPerPod } from "../../src/infer/recorded-figures.ts";
import { loadTarget, type MonthOf, monthRequest } from "../../src/testing/month.ts";
import { recordScenario } from "../../src/testing/recorder.ts";
import { prepare } from "../../src/tune/prepare.ts";
import { recordedDay } from "../infer/recorded-day.ts";

const autoscaler = hpa({
  metrics: [podsMetric("http_requests_per_second", "60")],
  minReplicas: 2,
  maxReplicas: 60,
});
const recording = recordScenario(recordedDay(autoscaler, { hours: 2 }));
const read = inferLoad(recording, { autoscaler, rateMs: 30_000, scrapeMs: 15_000 });
if (!read.ok) throw new Error(read.message);
const inferred = read.load;

/** In one bucket all pods together have a hundred times as much. */
function withMoment(load: InferredLoad): InferredLoad {
  const middle = load.series.perSecond.length >>> 1;
  const perSecond = load.series.perSecond.map((value, at) => (at === middle ? 100 * value : value));
  return { ...load, series: { ...load.series, perSecond } };
}

test("one bad moment decides the highest load, and not the usual one", () => {
  const spans = [recording.span];
  const [highest, usual] = [highestPerPod(inferred, spans), usualPerPod(inferred, spans, 0.99)];
  const odd = withMoment(inferred);
  expect(highestPerPod(odd, spans)).toBeGreaterThan(20 * highest);
  expect(usualPerPod(odd, spans, 0.99) / usual).toBeLessThan(1.1);
  expect(usual).toBeLessThan(highest);
});

test("parts are of time: all of it is the highest, none of it the lowest", () => {
  const spans = [recording.span];
  expect(usualPerPod(inferred, spans, 1)).toBe(highestPerPod(inferred, spans));
  const parts = [0, 0.25, 0.5, 0.75, 1].map((part) => usualPerPod(inferred, spans, part));
  expect(parts).toEqual(parts.toSorted((a, b) => a - b));
  expect(usualPerPod(inferred, [], 0.999)).toBe(0);
});

/** What is taken for hot, without an objective. */
function hotAboveOf(of: Partial<MonthOf>): number {
  const request = monthRequest({ today: loadTarget(50), days: 15, ...of }, { objective: {}, isForced: true });
  const prepared = prepare(request);
  if (!prepared.ok) throw new Error(prepared.refusal.message);
  return prepared.prepared.counterfactual.hotAbove;
}

test("the days of validation and test say nothing of it", () => {
  const usual = hotAboveOf({});
  expect(usual).toBeGreaterThan(50);
  expect(hotAboveOf({ factor: (day) => (day < 9 ? 1 : 3) })).toBe(usual);
  expect(hotAboveOf({ factor: (day) => (day === 4 ? 3 : 1) })).not.toBe(usual);
});
