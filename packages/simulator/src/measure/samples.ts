// What the metrics APIs return at an instant, one response for each metric of the specification.
import type { MetricSamples, MetricSpec } from "@plimsoll/core";
import type { MetricMeaning, Scenario, Workload } from "../loop/scenario.ts";
import type { Flow } from "../plant/flow.ts";
import type { SimulatedPod } from "../plant/pod.ts";
import { createFailures } from "./failures.ts";
import { createPodsMetric } from "./pods-metric.ts";
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
export function longestWindowMs({ metrics }: Workload, { scraping }: Scenario): number {
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
  const purpose = workload.name;
  const isResource = ({ type }: MetricSpec) => type === "Resource" || type === "ContainerResource";
  const scrapesOf = (intervalMs: number, name: string): Scrapes => {
    const keptMs = longestWindowMs(workload, scenario);
    return createScrapes({ fromMs, intervalMs, keptMs, seed, purpose: `${purpose}/${name}` });
  };
  const scrapes = specs.every(isResource) ? undefined : scrapesOf(scraping.intervalMs, "scrapes");
  const resources = specs.some(isResource) ? scrapesOf(scraping.resourceIntervalMs, "resources") : undefined;
  const failures = createFailures(scraping.failures, seed, purpose);
  const model = workload.pod;
  const readers = specs.map((spec): Read => {
    if (isResource(spec)) {
      const read = resources === undefined ? () => [] : createResourceMetric(model, resources);
      return (_, pods) => ({ pods: read(pods) });
    }
    const meaning = workload.metrics[metricName(spec) ?? ""];
    if (meaning === undefined || scrapes === undefined) return () => ({ error: "the metric has no meaning" });
    const { promql, lookbackMs } = scraping;
    const query = { meaning, model, scrapes, failures, promql, lookbackMs };
    return spec.type === "Pods" ? podsReader(query) : totalReader(spec.type, query);
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

/** The name of a Pods, Object or External metric. */
export function metricName({ pods, object, external }: MetricSpec): string | undefined {
  return (pods ?? object ?? external)?.metric.name;
}

function podsReader(query: Parameters<typeof createPodsMetric>[0]): Read {
  const read = createPodsMetric(query);
  return (atMs, pods) => ({ pods: read(pods, atMs) });
}

function totalReader(type: string, query: { readonly meaning: MetricMeaning } & Parameters<typeof createTotalMetric>[0]): Read {
  const read = createTotalMetric(query);
  return (atMs) => {
    const sample = read(atMs);
    if (type === "External") return { values: sample === undefined ? [] : [sample] };
    return sample ?? { error: "the server could not find the metric for the object" };
  };
}
