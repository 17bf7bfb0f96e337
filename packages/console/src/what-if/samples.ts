// Gives a metric another value: samples that amount to it, in the shares that were recorded.
import type {
  DecideInput,
  MetricSamples,
  MetricSpec,
  MetricTrace,
  Pod,
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

/** Samples where none could be read: with the value, of each pod where the metric is about pods. */
export function samplesOf(
  { pods, nowMs }: Pick<DecideInput, "pods" | "nowMs">,
  spec: MetricSpec,
  value: string,
): MetricSamples | undefined {
  const wanted = milliOf(value);
  if (wanted === undefined || wanted < 0n) return undefined;
  const text = milliText(wanted);
  const timestamp = new Date(nowMs).toISOString();
  if (spec.external !== undefined) return { values: [{ value: text }] };
  if (spec.object !== undefined) return { value: text, timestamp };
  if (!pods.ok) return undefined;
  const common = (pod: Pod) => ({ name: pod.metadata?.name ?? "", timestamp, windowSeconds: sampleSeconds });
  if (spec.pods !== undefined) return { pods: pods.pods.map((pod) => ({ ...common(pod), value: text })) };
  const target = (spec.resource ?? spec.containerResource)?.target;
  const percent = target?.type === "Utilization" ? wanted / 1000n : undefined;
  return {
    pods: pods.pods.map((pod) => ({
      ...common(pod),
      containers: usageOfAll(pod, spec, { wanted, percent }),
    })),
  };
}

const sampleSeconds = 15;

/** Percent of what each container requests, rounded up; else the first container, or the one that counts, has all. */
function usageOfAll(
  { spec: podSpec }: Pod,
  spec: MetricSpec,
  { wanted, percent }: { readonly wanted: bigint; readonly percent: bigint | undefined },
): ResourceSample["containers"] {
  const resource = resourceName(spec) ?? "";
  const only = spec.containerResource?.container;
  const containers = podSpec?.containers ?? [];
  const one = only ?? containers[0]?.name;
  return Object.fromEntries(
    containers.map(({ name, resources }) => {
      const request = milliOf(resources?.requests?.[resource]) ?? 0n;
      const share = percent === undefined ? (name === one ? wanted : 0n) : (request * percent + 99n) / 100n;
      return [name, { [resource]: milliText(share) }];
    }),
  );
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
