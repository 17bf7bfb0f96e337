// Gives a metric another value in the input of a decision.
import { defaultSpec } from "../../objects/api/default.ts";
import type { DecideInput } from "../../objects/decision.ts";
import type { MetricSpec } from "../../objects/metric-spec.ts";
import { resourceName } from "../../objects/metrics.ts";
import type { MetricSamples, PodSamples, PodsSample, ResourceSample } from "../../objects/samples.ts";
import type { MetricTrace } from "../../objects/trace/metric.ts";
import { milliOf } from "../../values/quantity/milli.ts";
import { hasTotal } from "../explain/metric-rows.ts";

/** A metric whose measured value can be replaced. */
export interface Measured {
  /** Whole percent of the requests, or thousandths. */
  readonly unit: "percent" | "milli";
  /** What was measured, in that unit; undefined when it could not be read. */
  readonly now: number | undefined;
  /** The value at which the ratio is one, in that unit. */
  readonly atTarget: number;
  /** The samples with which the metric has this value. */
  samplesAt(value: number): MetricSamples;
}

/** Undefined when the metric has no value that could be replaced. */
export function measuredOf(input: DecideInput, metric: MetricTrace): Measured | undefined {
  const samples = input.samples[metric.index];
  const atTarget = targetOf(metric);
  if (samples === undefined || atTarget === undefined || !(atTarget > 0)) return undefined;
  if (hasTotal(metric)) return totalOf(metric, atTarget);
  if (!("pods" in samples) || !Array.isArray(samples.pods) || metric.first === undefined) return undefined;
  const spec = (defaultSpec(input.hpa.spec).metrics ?? [])[metric.index];
  if (metric.target?.type === "Utilization") return utilizationOf(metric, samples, { atTarget, spec });
  return averageOf(metric, samples, { atTarget, spec });
}

/** The input with other samples of one metric. */
export function withSamples(input: DecideInput, index: number, samples: MetricSamples): DecideInput {
  return { ...input, samples: input.samples.map((own, i) => (i === index ? samples : own)) };
}

function targetOf(metric: MetricTrace): number | undefined {
  const { target, statusReplicas } = metric;
  if (target?.type === "Utilization") return Number(target.value);
  const milli = safeMilli(target?.value);
  if (milli === undefined || target?.type === "Value") return milli;
  return hasTotal(metric) ? milli * Math.max(1, statusReplicas ?? 1) : milli;
}

/** What a trace has fits. */
const exactly = { saturatesQuantities: true };

/** Undefined where a number does not hold it exactly. */
export function safeMilli(text: string | undefined): number | undefined {
  const milli = milliOf(text, exactly);
  return typeof milli === "number" ? milli : undefined;
}

function totalOf({ type, first }: MetricTrace, atTarget: number): Measured {
  return {
    unit: "milli",
    now: safeMilli(first?.total),
    atTarget,
    samplesAt: (value) => {
      const sample = { value: `${value}m` };
      return type === "Object" ? sample : { values: [sample] };
    },
  };
}

interface Source {
  readonly atTarget: number;
  readonly spec: MetricSpec | undefined;
}

/** Every sample has the average: pods without one stay without. */
function averageOf({ first }: MetricTrace, samples: PodSamples, { atTarget, spec }: Source): Measured {
  return {
    unit: "milli",
    now: safeMilli(first?.usage),
    atTarget,
    samplesAt: (value) => ({ pods: samples.pods.map((sample) => withUsage(sample, `${value}m`, spec)) }),
  };
}

/** The first ready pod has all usage: only the sum counts. */
function utilizationOf(
  { first, pods = [] }: MetricTrace,
  samples: PodSamples,
  { atTarget, spec }: Source,
): Measured | undefined {
  const requested = milliOf(first?.requested, exactly);
  const ready = new Set(pods.filter(({ group }) => group === "ready").map(({ name }) => name));
  const at = samples.pods.findIndex(({ name }) => ready.has(name));
  if (requested === undefined || at < 0) return undefined;
  return {
    unit: "percent",
    now: Number(first?.usage),
    atTarget,
    samplesAt: (percent) => {
      const total = (BigInt(requested) * BigInt(percent) + 99n) / 100n;
      const usageOf = (sample: PodSamples["pods"][number], i: number) => {
        if (i === at) return withUsage(sample, `${total}m`, spec);
        return ready.has(sample.name) ? withUsage(sample, "0", spec) : sample;
      };
      return { pods: samples.pods.map(usageOf) };
    },
  };
}

function withUsage(
  sample: ResourceSample | PodsSample,
  usage: string,
  spec: MetricSpec | undefined,
): ResourceSample | PodsSample {
  if (!("containers" in sample) || typeof sample.containers !== "object") return { ...sample, value: usage };
  const resource = resourceName(spec) ?? "";
  const names = Object.keys(sample.containers ?? {});
  const one = spec?.containerResource?.container ?? names[0];
  const entries = names.map((name) => [
    name,
    { ...sample.containers[name], ...(name === one ? { [resource]: usage } : zeroOf(resource, spec)) },
  ]);
  return { ...sample, containers: Object.fromEntries(entries) as ResourceSample["containers"] };
}

/** Of the other containers, where all of them count. */
function zeroOf(resource: string, spec: MetricSpec | undefined): Readonly<Record<string, string>> {
  return spec?.containerResource === undefined ? { [resource]: "0" } : {};
}
