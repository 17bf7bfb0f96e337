// What the stack did, as a recording of it would say.
import type { RecordedSample, Recording } from "@plimsoll/backtest";
import { instantMs, type MetricSamples } from "@plimsoll/core";
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import { type StackRun, target } from "./stack.ts";

/** From an instant after the start to the end, with the first specification. */
export function recordingOf(
  { startMs, endMs, scale, decisions, pods }: StackRun,
  afterMs: number,
): Recording {
  const fromMs = startMs + afterMs;
  const own = decisions.filter(({ atMs }) => atMs >= fromMs);
  const [first] = own;
  if (first === undefined) throw new Error("nothing was decided");
  const { hpa } = first.input;
  return {
    version: 1,
    target,
    span: { fromMs, toMs: endMs },
    autoscaler: { object: hpa, changes: [] },
    syncs: { atMs: own.map(({ atMs }) => atMs), clock: "known" },
    pods: pods.filter(({ deletedMs = Infinity }) => deletedMs >= fromMs),
    scale: stepsFrom(scale, fromMs),
    metrics: (hpa.spec.metrics ?? []).map((_, index) => ({
      index,
      level: "series",
      samples: own.flatMap(({ atMs, input }): readonly RecordedSample[] => {
        const values = valuesOf(input.samples[index]);
        return values === undefined ? [] : [{ atMs, values }];
      }),
      gaps: [],
    })),
    status: own.map(({ atMs, result: { decision } }) => ({
      atMs: atMs + 1,
      currentReplicas: decision.currentReplicas,
      desiredReplicas: decision.desiredReplicas,
      values: [],
    })),
  };
}

function stepsFrom(scale: StackRun["scale"], fromMs: number): Recording["scale"] {
  const before = scale.findLast(({ atMs }) => atMs <= fromMs)?.value ?? 0;
  return [
    { atMs: fromMs, earliestMs: fromMs, value: before },
    ...scale
      .filter(({ atMs }) => atMs > fromMs)
      .map(({ atMs, value }) => ({ atMs, earliestMs: atMs, value })),
  ];
}

function valuesOf(samples: MetricSamples | undefined): RecordedSample["values"] | undefined {
  if (samples === undefined || "error" in samples) return undefined;
  if ("value" in samples) return [{ value: amount(samples.value) }];
  if ("values" in samples) return samples.values.map(({ value }) => ({ value: amount(value) }));
  return samples.pods.map((one) => {
    if ("value" in one) return { pod: one.name, value: amount(one.value) };
    const cpu = Object.values(one.containers).reduce((sum, usage) => sum + amount(usage["cpu"] ?? "0"), 0);
    return { pod: one.name, value: cpu, measuredMs: instantMs(one.timestamp) ?? 0, windowMs: 60_000 };
  });
}

function amount(text: string): number {
  return approximateFloat(parseQuantity(text));
}
