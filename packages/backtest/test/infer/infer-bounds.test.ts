// Values at the ends of what a number can be: a load that cannot be known is refused, and never a number that is none.
import { hpa, podsMetric } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import { inferLoad } from "../../src/index.ts";
import { recordScenario } from "../../src/testing/recorder.ts";
import { recordedDay } from "./recorded-day.ts";

const autoscaler = hpa({
  metrics: [podsMetric("http_requests_per_second", "60")],
  minReplicas: 2,
  maxReplicas: 60,
});
const recording = recordScenario(recordedDay(autoscaler, { hours: 1 }));

function inferredWith(factor: number) {
  const metrics = recording.metrics.map((metric) => ({
    ...metric,
    samples: metric.samples.map((sample) => ({
      ...sample,
      values: sample.values.map((one) => ({ ...one, value: one.value * factor })),
    })),
  }));
  return inferLoad({ ...recording, metrics }, { autoscaler, rateMs: 30_000, scrapeMs: 15_000 });
}

test.each([0, 1e-300, 1e-3, 1e9, 1e100, 1e290])("times %s the load is so many times as much", (factor) => {
  const [read, usual] = [inferredWith(factor), inferredWith(1)];
  if (!read.ok || !usual.ok) throw new Error("it was refused");
  const [sum = 0, own = 0] = [read, usual].map(({ load }) =>
    load.series.perSecond.reduce((all, value) => all + value, 0),
  );
  expect(read.load.series.perSecond.every(Number.isFinite)).toBe(true);
  const { deviation = 0, memoryMs = 0 } = read.load.noise ?? {};
  expect([deviation, memoryMs].every(Number.isFinite)).toBe(true);
  expect(sum).toBeGreaterThanOrEqual(0.999 * own * factor);
  expect(sum).toBeLessThanOrEqual(1.001 * own * factor);
});

test("values whose sum is not a number are refused with what to do", () => {
  expect(inferredWith(1e306)).toEqual({
    ok: false,
    message: expect.stringMatching(
      /^http_requests_per_second has values whose sum is too large: check its query$/,
    ),
  });
});
