// What a recording does not say: gaps, censored load, pods of another template, changes of the specification.

import { minuteMs } from "@plimsoll/core/internal/values";
import type { Autoscaler } from "@plimsoll/simulator";
import { hpa, podsMetric, startMs } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import type { RecordedPod, Recording } from "../../src/index.ts";
import { censoredLoad, sharePart, withMoreLoad } from "../../src/infer/censoring.ts";
import { type InferredLoadRead, inferLoad } from "../../src/infer/load.ts";
import { knownSpans, recordedSegments } from "../../src/infer/segments.ts";
import { createCounterfactual } from "../../src/infer/what-if.ts";
import { recordScenario } from "../../src/testing/recorder.ts";
import { recordedDay } from "./recorded-day.ts";
import { whatIfOf } from "./run-plan.ts";

const autoscaler = requests();
const recording = recordScenario(recordedDay(autoscaler, { hours: 3 }));

function requests(spec: Partial<Autoscaler["hpa"]["spec"]> = {}): Autoscaler {
  const metrics = [podsMetric("http_requests_per_second", "60")];
  return hpa({ metrics, minReplicas: 2, maxReplicas: 60, ...spec });
}

function inferred(of: Recording, by: Autoscaler = autoscaler): InferredLoadRead {
  return inferLoad(of, { autoscaler: by, rateMs: 30_000, scrapeMs: 15_000 });
}

function loadOf(of: Recording, by?: Autoscaler) {
  const read = inferred(of, by);
  if (!read.ok) throw new Error(read.message);
  return read.load;
}

function unknownsOf(of: Recording, by: Autoscaler = autoscaler) {
  const load = loadOf(of, by);
  return createCounterfactual(of, { autoscaler: by, inferred: load }, { periodMs: 15_000, seed: 1 }).unknowns;
}

/** Without samples from a minute on. */
function withGap(fromMinute: number, minutes: number): Recording {
  const fromMs = startMs + fromMinute * minuteMs;
  const isKept = ({ atMs }: { atMs: number }) => atMs < fromMs || atMs >= fromMs + minutes * minuteMs;
  const metrics = recording.metrics.map((metric) => ({ ...metric, samples: metric.samples.filter(isKept) }));
  return { ...recording, metrics };
}

test("a whole recording has nothing unknown", () => {
  expect(unknownsOf(recording)).toEqual([]);
});

test("gaps of up to five minutes are bridged: the load there is on the line between its ends", () => {
  const gapped = withGap(60, 4);
  const [unknown, ...others] = unknownsOf(gapped);
  expect(unknown).toMatchObject({
    kind: "bridged",
    effect: "gaps of up to 5 min in the samples are bridged",
  });
  expect(unknown?.share).toBeCloseTo(4 / 180, 2);
  expect(others).toEqual([]);
  const [whole, bridged] = [loadOf(recording).series, loadOf(gapped).series];
  for (const [at, value] of bridged.perSecond.entries()) {
    expect(Math.abs(value / (whole.perSecond[at] ?? 0) - 1)).toBeLessThan(0.25);
  }
});

test("longer gaps are left out of every figure", () => {
  const gapped = withGap(60, 15);
  expect(unknownsOf(gapped)).toMatchObject([{ kind: "left-out" }]);
  const load = loadOf(gapped);
  const [before, after] = knownSpans(gapped, load);
  expect(before?.fromMs).toBe(startMs);
  expect((after?.fromMs ?? 0) - (before?.toMs ?? 0)).toBeGreaterThan(13 * minuteMs);
  const options = { periodMs: 15_000, seed: 1 };
  const { seconds, control } = createCounterfactual(gapped, { autoscaler, inferred: load }, options);
  expect(seconds).toBeLessThan(167 * 60);
  expect(Math.abs(control.podHoursError)).toBeLessThan(0.02);
});

test("a what-if begins within its own bounds, after a gap as well", () => {
  const gapped = withGap(60, 15);
  const options = { periodMs: 15_000, seed: 1 };
  const made = createCounterfactual(gapped, { autoscaler, inferred: loadOf(gapped) }, options);
  expect(made.control.recorded.peak).toBeGreaterThan(6);
  expect(whatIfOf(made, requests({ maxReplicas: 6 })).peak.high).toBe(6);
});

test("more than a tenth of the time without samples is refused", () => {
  expect(inferred(withGap(60, 30))).toMatchObject({
    ok: false,
    message: expect.stringMatching(
      /^http_requests_per_second has no samples for 1[67] % of the time, and at most 10 % can be missing: record a time without gaps$/,
    ),
  });
});

test("at maxReplicas above the tolerance, and while pods are Pending, the load is a lower bound", () => {
  const bounded = requests({ maxReplicas: 15 });
  const own = recordScenario(recordedDay(bounded, { hours: 3 }));
  const load = loadOf(own, bounded);
  const [atMax, ...others] = censoredLoad(own, load, bounded);
  expect(others).toEqual([]);
  const share = sharePart(atMax?.spans ?? [], own.span);
  expect(share).toBeGreaterThan(0.1);
  const more = withMoreLoad(load.series, [atMax ?? { kind: "at-max", spans: [] }], 1.2);
  const raised = more.perSecond.filter((value, at) => value > (load.series.perSecond[at] ?? 0)).length;
  expect(raised / more.perSecond.length).toBeCloseTo(share, 2);

  const waiting: RecordedPod = {
    name: "shop-waiting",
    createdMs: startMs + 10 * minuteMs,
    startedMs: startMs + 13 * minuteMs,
    ready: [],
    requests: {},
    uncertaintyMs: 0,
  };
  expect(unknownsOf({ ...recording, pods: [...recording.pods, waiting] })).toEqual([
    { kind: "pending", share: 3 / 180, effect: "load while pods are Pending is a lower bound" },
  ]);
});

test("pods of another template may do more or less", () => {
  const later = startMs + 90 * minuteMs;
  const pods = recording.pods.map((pod, at) => {
    const hash = pod.createdMs < later ? "5d9c7b8f4" : "7f6b5c4d9";
    return { ...pod, name: `shop-${hash}-${String(at).padStart(5, "a")}` };
  });
  const names = new Map(recording.pods.map(({ name }, at) => [name, pods[at]?.name ?? name]));
  const metrics = recording.metrics.map((metric) => ({
    ...metric,
    samples: metric.samples.map((sample) => ({
      ...sample,
      values: sample.values.map((value) => ({ ...value, pod: names.get(value.pod ?? "") ?? "" })),
    })),
  }));
  const [unknown, ...others] = unknownsOf({ ...recording, pods, metrics });
  expect(unknown?.kind).toBe("new-pods");
  expect(unknown?.share).toBeLessThanOrEqual(0.5);
  expect(others).toEqual([]);
});

test("the control run follows the bounds and targets as they changed", () => {
  const atMs = startMs + 90 * minuteMs;
  const changes = [{ atMs, earliestMs: atMs, field: "maxReplicas", value: 12 }] as const;
  const changed = { ...recording, autoscaler: { ...recording.autoscaler, changes } };
  const [before, after, ...others] = recordedSegments(changed, [recording.span], autoscaler);
  expect(others).toEqual([]);
  expect(before).toMatchObject({
    toMs: atMs,
    goesOn: false,
    autoscaler: { hpa: { spec: { maxReplicas: 60 } } },
  });
  expect(after).toMatchObject({
    fromMs: atMs,
    goesOn: true,
    autoscaler: { hpa: { spec: { maxReplicas: 12 } } },
  });
  const inferredLoad = loadOf(changed);
  const options = { periodMs: 15_000, seed: 1 };
  const { control } = createCounterfactual(changed, { autoscaler, inferred: inferredLoad }, options);
  expect(control.simulated.podHours).toBeLessThan(0.8 * control.recorded.podHours);
  expect(control.isWithinBar).toBe(false);
});

test("a recording without pods has no load of pods", () => {
  expect(inferred({ ...recording, pods: [] })).toEqual({
    ok: false,
    message: "the recording has no pods: record it with kube-state-metrics",
  });
});
