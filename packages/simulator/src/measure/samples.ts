// What the metrics APIs return at an instant, one response for each metric of the specification.
import type { MetricSamples, MetricSpec } from "@plimsoll/core";
import type { RecordedTotal, Scenario, Workload } from "../loop/scenario.ts";
import type { Flow } from "../plant/flow.ts";
import type { SimulatedPod } from "../plant/pod.ts";
import { createFailures } from "./failures.ts";
import { createPodsMetric, type MetricQuery } from "./pods-metric.ts";
import { milliText } from "./quantity-text.ts";
import { recordedValue } from "./recorded-total.ts";
import { createResourceMetric } from "./resource-metric.ts";
import { createScrapes, type Scrapes } from "./scrapes.ts";
import { createTotalMetric } from "./total-metric.ts";

/** The measurements of one workload. */
export interface Measurements {
  readonly nextMs: number;
  step(atMs: number, flow: Flow): void;
  /** As old as the cache allows. */
  samples(atMs: number, pods: readonly SimulatedPod[]): readonly MetricSamples[];
}

type Read = (atMs: number, pods: readonly SimulatedPod[]) => MetricSamples;

/** How far back the metrics of a workload look. */
export function maxWindowMs({ metrics }: Workload, { scraping }: Scenario): number {
  const windows = Object.values(metrics).map(({ query, windowMs }) =>
    query === "value" ? scraping.lookbackMs : windowMs,
  );
  return Math.max(2 * scraping.resourceIntervalMs, 2 * scraping.intervalMs, ...windows);
}

/** The measurements that these metrics need, from an instant on. */
export function createMeasurements(
  scenario: Scenario,
  workload: Workload,
  specs: readonly MetricSpec[],
  fromMs: number,
): Measurements {
  const { scraping, seed } = scenario;
  const keptMs = maxWindowMs(workload, scenario);
  const scrapesOf = (intervalMs: number, name: string): Scrapes =>
    createScrapes({ fromMs, intervalMs, keptMs, seed, purpose: `${workload.name}/${name}` });
  const scrapes = specs.every(isResource) ? undefined : scrapesOf(scraping.intervalMs, "scrapes");
  const resources = specs.some(isResource) ? scrapesOf(scraping.resourceIntervalMs, "resources") : undefined;
  const failures = createFailures(scraping.failures, seed, workload.name, scrapes?.size ?? 0);
  const readers = specs.map((spec): Read => {
    const given = ofMetric(workload.recorded ?? {}, spec);
    if (given !== undefined) return givenReader(spec, given);
    const of = isResource(spec) ? resources : scrapes;
    if (of === undefined) return unknownMetric;
    return isResource(spec)
      ? resourceReader(workload, of)
      : queryReader(spec, workload, { scraping, scrapes: of, failures });
  });
  let cached: readonly MetricSamples[] = [];
  let cachedMs = -Infinity;
  return {
    get nextMs() {
      return Math.min(scrapes?.nextMs ?? Infinity, resources?.nextMs ?? Infinity);
    },
    step(atMs, flow) {
      if ((scrapes?.nextMs ?? Infinity) <= atMs) scrapes?.step(flow);
      if ((resources?.nextMs ?? Infinity) <= atMs) resources?.step(flow);
    },
    samples(atMs, pods) {
      if (atMs - cachedMs >= scraping.cacheAgeMs) {
        cached = readers.map((read) => read(atMs, pods));
        cachedMs = atMs;
      }
      return cached;
    },
  };
}

function isResource({ type }: MetricSpec): boolean {
  return type === "Resource" || type === "ContainerResource";
}

/** The name of a Pods, Object or External metric. */
export function metricName({ pods, object, external }: MetricSpec): string | undefined {
  return (pods ?? object ?? external)?.metric.name;
}

/** A scenario names a query by its position; a recording has its PromQL, as the position is another query's elsewhere. */
function ofMetric<T>(byName: Readonly<Record<string, T>>, spec: MetricSpec): T | undefined {
  const name = [metricName(spec), spec.query?.promql].find(
    (one) => one !== undefined && Object.hasOwn(byName, one),
  );
  return name === undefined ? undefined : byName[name];
}

function unknownMetric(): MetricSamples {
  return { error: "the server could not find the metric" };
}

function givenReader({ type }: MetricSpec, given: RecordedTotal): Read {
  return (atMs, pods) => {
    const value = recordedValue(given, atMs, pods.filter(({ stage }) => stage === "ready").length);
    if (value === undefined) return type === "External" ? { values: [] } : unknownMetric();
    const sample = { value: milliText(value) };
    return type === "External" ? { values: [sample] } : sample;
  };
}

function resourceReader({ pod }: Workload, scrapes: Scrapes): Read {
  const read = createResourceMetric(pod, scrapes);
  return (_, pods) => ({ pods: read(pods) });
}

function queryReader(
  spec: MetricSpec,
  { pod, metrics }: Workload,
  from: Pick<Scenario, "scraping"> & Pick<MetricQuery, "scrapes" | "failures">,
): Read {
  const meaning = ofMetric(metrics, spec);
  if (meaning === undefined) return unknownMetric;
  const { promql, lookbackMs } = from.scraping;
  const query = { meaning, model: pod, scrapes: from.scrapes, failures: from.failures, promql, lookbackMs };
  if (spec.type === "Pods") {
    const read = createPodsMetric(query);
    return (atMs, pods) => ({ pods: read(pods, atMs) });
  }
  const read = createTotalMetric(query);
  return (atMs) => {
    const sample = read(atMs);
    if (spec.type === "External") return { values: sample === undefined ? [] : [sample] };
    return sample ?? unknownMetric();
  };
}
