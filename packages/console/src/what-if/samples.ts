// Gives a metric another value: samples that amount to it, in the shares that were recorded.
import type {
  MetricSamples,
  MetricSpec,
  MetricTrace,
  PodSamples,
  PodsSample,
  ResourceSample,
} from "@plimsoll/core";
import { resourceName } from "@plimsoll/core/internal/objects";
import { milliOf, milliText } from "./quantities.ts";

/** The samples with which the metric has the value, a quantity or whole percent; undefined: that cannot be made. */
export function samplesWith(
  samples: MetricSamples,
  spec: MetricSpec,
  metric: MetricTrace,
  value: string,
): MetricSamples | undefined {
  const wanted = milliOf(value);
  if (wanted === undefined || wanted < 0n) return undefined;
  if ("error" in samples) return undefined;
  if ("value" in samples) return { ...samples, value: milliText(wanted) };
  if ("values" in samples) return { values: [{ ...samples.values[0], value: milliText(wanted) }] };
  return podSamplesWith(samples, spec, metric, wanted);
}

function podSamplesWith(
  samples: PodSamples,
  spec: MetricSpec,
  metric: MetricTrace,
  wanted: bigint,
): PodSamples | undefined {
  const ready = new Set((metric.pods ?? []).flatMap(({ name, group }) => (group === "ready" ? [name] : [])));
  const counted = samples.pods.flatMap((sample, index) => (ready.has(sample.name) ? [index] : []));
  if (counted.length === 0) return undefined;
  const requested = milliOf(metric.first?.requested);
  const isPercent = metric.target?.type === "Utilization";
  if (isPercent && requested === undefined) return undefined;
  // Percent are rounded down when they are compared: the next higher total gives this very number.
  const total = isPercent
    ? ((requested ?? 0n) * (wanted / 1000n) + 99n) / 100n
    : wanted * BigInt(counted.length);
  const shares = sharesOf(
    counted.map((index) => usageOf(samples.pods[index], spec)),
    total,
  );
  const byIndex = new Map(counted.map((index, place) => [index, shares[place] ?? 0n]));
  return {
    pods: samples.pods.map((sample, index) => {
      const share = byIndex.get(index);
      return share === undefined ? sample : withUsage(sample, share, spec);
    }),
  };
}

/** As they were to each other; what rounding leaves goes to the first. */
function sharesOf(usages: readonly bigint[], total: bigint): readonly bigint[] {
  const before = usages.reduce((sum, usage) => sum + usage, 0n);
  const shares = usages.map((usage) => (before === 0n ? 0n : (usage * total) / before));
  const rest = total - shares.reduce((sum, share) => sum + share, 0n);
  return shares.map((share, index) => (index === 0 ? share + rest : share));
}

function usageOf(sample: ResourceSample | PodsSample | undefined, spec: MetricSpec): bigint {
  if (sample === undefined) return 0n;
  if (!("containers" in sample)) return milliOf(sample.value) ?? 0n;
  const own = spec.containerResource?.container;
  return Object.entries(sample.containers).reduce(
    (sum, [name, usage]) =>
      own === undefined || own === name ? sum + (milliOf(usage[resourceName(spec) ?? ""]) ?? 0n) : sum,
    0n,
  );
}

/** Only the sum over the containers counts: the first has all of it. */
function withUsage(
  sample: ResourceSample | PodsSample,
  milli: bigint,
  spec: MetricSpec,
): ResourceSample | PodsSample {
  if (!("containers" in sample)) return { ...sample, value: milliText(milli) };
  const resource = resourceName(spec) ?? "";
  const names = Object.keys(sample.containers);
  const only = spec.containerResource?.container;
  const one = only ?? names[0];
  const containers = names.map((name): [string, Readonly<Record<string, string>>] => {
    const usage = sample.containers[name] ?? {};
    if (name === one) return [name, { ...usage, [resource]: milliText(milli) }];
    return [name, only === undefined ? { ...usage, [resource]: "0" } : usage];
  });
  return { ...sample, containers: Object.fromEntries(containers) };
}
