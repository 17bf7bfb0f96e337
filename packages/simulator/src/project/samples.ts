// The samples of a record, as they would go on.
import {
  type ExternalSamples,
  formatInstant,
  type MetricSamples,
  type MetricSpec,
  type ObjectSample,
  type PodsSample,
  type ResourceSample,
} from "@plimsoll/core";
import { metricName } from "@plimsoll/core/internal/objects";
import { approximateFloat, parseQuantity, QuantityError } from "@plimsoll/core/quantity";

/** From an instant on, a metric is another: a multiple of the recorded one, or a total. */
export interface MetricChange {
  readonly afterMs: number;
  /** Name of a metric or of a resource. */
  readonly metric: string;
  readonly to: { readonly factor: number } | { readonly total: number };
}

/** What the samples depend on. */
export interface ProjectedMoment {
  readonly startMs: number;
  readonly replicas: number;
  /** Pods that have a value. */
  readonly sampled: readonly string[];
}

/** The samples at an instant, in the order of the metrics. */
export interface ProjectedSamples {
  /** Names of changes that no metric has. */
  readonly unknown: readonly string[];
  /** The names that there are. */
  readonly names: readonly string[];
  /** What could not be projected. */
  readonly notes: readonly string[];
  at(atMs: number, moment: ProjectedMoment): readonly MetricSamples[];
}

/** How the samples of one metric go on: from their recorded total and the pods that had a value. */
type Project = (moment: ProjectedMoment, scale: (total: number) => number, atMs: number) => MetricSamples;

/** A metric that failed goes on failing. */
export function createProjectedSamples(
  recorded: readonly MetricSamples[],
  specs: readonly MetricSpec[],
  options: {
    readonly load: "constant-total" | "constant-per-pod";
    readonly changes: readonly MetricChange[];
  },
): ProjectedSamples {
  const names = specs.map((spec) => metricName(spec) ?? "");
  const projects = recorded.map((samples) => projectOf(samples, options.load === "constant-per-pod"));
  const unknown = options.changes.map(({ metric }) => metric).filter((metric) => !names.includes(metric));
  const failed = recorded.flatMap((samples, index) => ("error" in samples ? [names[index] ?? ""] : []));
  return {
    unknown: [...new Set(unknown)],
    names,
    notes: failed.map((name) => `cannot read ${name} (as in the record)`),
    at: (atMs, moment) =>
      projects.map((project, index) => {
        const change = options.changes.findLast(
          ({ metric, afterMs }) => metric === names[index] && moment.startMs + afterMs <= atMs,
        );
        return project(moment, (total) => changed(total, change), atMs);
      }),
  };
}

function changed(total: number, change: MetricChange | undefined): number {
  if (change === undefined) return total;
  return "factor" in change.to ? total * change.to.factor : change.to.total;
}

function projectOf(samples: MetricSamples, isPerPod: boolean): Project {
  if ("error" in samples) return () => samples;
  if ("values" in samples) return externalProject(samples, isPerPod);
  if ("value" in samples) return objectProject(samples, isPerPod);
  const { pods } = samples;
  const first = pods[0];
  if (first === undefined) return () => samples;
  return "containers" in first
    ? resourceProject(pods as readonly ResourceSample[], isPerPod)
    : podsProject(pods as readonly PodsSample[], isPerPod);
}

/** Grows with the replicas where each of them brings its own. */
function withReplicas(isPerPod: boolean): (total: number, replicas: number) => number {
  let first: number | undefined;
  return (total, replicas) => {
    first ??= replicas;
    return isPerPod && first > 0 ? (total * replicas) / first : total;
  };
}

function objectProject({ value }: ObjectSample, isPerPod: boolean): Project {
  const grown = withReplicas(isPerPod);
  return ({ replicas }, scale) => ({ value: quantityText(grown(scale(amountOf(value)), replicas)) });
}

function externalProject({ values }: ExternalSamples, isPerPod: boolean): Project {
  const grown = withReplicas(isPerPod);
  const total = values.reduce((sum, { value }) => sum + amountOf(value), 0);
  return ({ replicas }, scale) =>
    values.length === 0 ? { values } : { values: [{ value: quantityText(grown(scale(total), replicas)) }] };
}

function podsProject(pods: readonly PodsSample[], isPerPod: boolean): Project {
  const total = pods.reduce((sum, { value }) => sum + amountOf(value), 0);
  return ({ sampled }, scale) => {
    const value = quantityText(scale(total) / Math.max(1, isPerPod ? pods.length : sampled.length));
    return { pods: sampled.map((name) => ({ name, value })) };
  };
}

/** Containers keep their parts. */
function resourceProject(pods: readonly ResourceSample[], isPerPod: boolean): Project {
  const totals = new Map<string, Map<string, number>>();
  for (const { containers } of pods) {
    for (const [container, usage] of Object.entries(containers)) {
      const own = totals.get(container) ?? new Map<string, number>();
      for (const [resource, text] of Object.entries(usage))
        own.set(resource, (own.get(resource) ?? 0) + amountOf(text));
      totals.set(container, own);
    }
  }
  const { windowSeconds } = pods[0] ?? {};
  return ({ sampled }, scale, atMs) => {
    const share = Math.max(1, isPerPod ? pods.length : sampled.length);
    const containers = Object.fromEntries(
      [...totals].map(([container, usage]) => [
        container,
        Object.fromEntries(
          [...usage].map(([resource, total]) => [resource, quantityText(scale(total) / share)]),
        ),
      ]),
    );
    const timestamp = formatInstant(atMs);
    return { pods: sampled.map((name) => ({ name, timestamp, windowSeconds, containers })) };
  };
}

function amountOf(text: string): number {
  try {
    return approximateFloat(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) return 0;
    throw error;
  }
}

/** In thousandths, rounded up as the API does. */
function quantityText(amount: number): string {
  return `${Math.ceil(amount * 1000 - 1e-6)}m`;
}
