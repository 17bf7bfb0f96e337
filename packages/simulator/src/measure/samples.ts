// What the metrics APIs return at an instant, one response for each metric of the specification.
import type { MetricSamples, MetricSpec, ObjectSample } from "@plimsoll/core";
import { metricIdentifier } from "@plimsoll/core/internal/objects";
import { liveIntervalMs } from "@plimsoll/core/queries";
import type { Flow } from "../plant/flow.ts";
import type { SimulatedPod } from "../plant/pod.ts";
import type { MetricMeaning, PodModel, RecordedTotal, Scenario, Workload } from "../scenario.ts";
import { createFailures } from "./failures.ts";
import { lastAtOrBefore } from "./last.ts";
import { scrapesIn } from "./pod-window.ts";
import { createPodsMetric, type MetricQuery, spanOf } from "./pods-metric.ts";
import { milliText } from "./quantity-text.ts";
import { overWindow } from "./rate.ts";
import { createResourceMetric, createResourceQuery } from "./resource-metric.ts";
import { createScrapes, type ScrapeGroup, type Scrapes } from "./scrapes.ts";

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
  const { resourceQuery, resourceIntervalMs, intervalMs } = scraping;
  return Math.max(2 * resourceIntervalMs, 2 * intervalMs, resourceQuery?.rangeMs ?? 0, ...windows);
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
  const { resourceQuery } = scraping;
  const isMeasured = (spec: MetricSpec): boolean => resourceQuery === undefined && isResource(spec);
  const scrapes = specs.every(isMeasured) ? undefined : scrapesOf(scraping.intervalMs, "scrapes");
  const resources = specs.some(isMeasured) ? scrapesOf(scraping.resourceIntervalMs, "resources") : undefined;
  const liveMs = Math.min(...specs.flatMap(({ query }) => (query?.live ? liveIntervalMs(query.live) : [])));
  const live = liveMs < Infinity ? scrapesOf(liveMs, "live") : undefined;
  const all = [scrapes, resources, live].filter((one) => one !== undefined);
  const failures = createFailures(scraping.failures, seed, workload.name, scrapes?.size ?? 0);
  const readers = specs.map((spec): Read => {
    const given = ofMetric(workload.recorded ?? {}, spec);
    if (given !== undefined) return givenReader(spec, given);
    const of = isMeasured(spec) ? resources : isLive(spec) ? live : scrapes;
    if (of === undefined) return unknownMetric;
    if (isMeasured(spec)) return resourceReader(workload, of);
    // A page that is missing changes no live rate.
    const from = { scrapes: of, failures: isLive(spec) ? createFailures(0, seed, "", 0) : failures };
    if (resourceQuery === undefined || !isResource(spec))
      return queryReader(spec, workload, { scraping, ...from });
    const read = createResourceQuery({ ...scraping, ...from, model: workload.pod }, resourceQuery);
    return (atMs, pods) => ({ pods: read(pods, atMs) });
  });
  let cached: readonly MetricSamples[] = [];
  let cachedMs = -Infinity;
  return {
    get nextMs() {
      return Math.min(...all.map(({ nextMs }) => nextMs));
    },
    step(atMs, flow) {
      for (const one of all) if (one.nextMs <= atMs) one.step(flow);
    },
    samples(atMs, pods) {
      const isOld = atMs - cachedMs >= scraping.cacheAgeMs;
      if (isOld) cachedMs = atMs;
      const isRead = (at: number) => isOld || isLive(specs[at]);
      if (isOld || live !== undefined)
        cached = readers.map((read, at) => (isRead(at) ? read(atMs, pods) : (cached[at] ?? unknownMetric())));
      return cached;
    },
  };
}

/** From the newest page of the pods: no cache of the adapter is in between. */
function isLive(spec: MetricSpec | undefined): boolean {
  return spec?.query?.live !== undefined;
}

function isResource({ type }: MetricSpec): boolean {
  return type === "Resource" || type === "ContainerResource";
}

/** A scenario names a query by its position; a recording has its PromQL, as the position is another query's elsewhere. */
function ofMetric<T>(byName: Readonly<Record<string, T>>, spec: MetricSpec): T | undefined {
  const name = [metricIdentifier(spec)?.name, spec.query?.promql].find(
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

/** The recorded value at an instant, whatever the simulated pods do, or the part of each Ready pod. */
function recordedValue(
  { atMs: instants, values, isShared }: RecordedTotal,
  atMs: number,
  ready: number,
): number | undefined {
  const value = values[lastAtOrBefore(instants, atMs)];
  if (value === undefined || !isShared) return value;
  return ready === 0 ? undefined : value / ready;
}

/** The number of the target beside those of the pods. */
const target = -1;

/** Reads the sample at an instant; undefined where there is none. */
function createTotalMetric(query: MetricQuery): (atMs: number) => ObjectSample | undefined {
  const { meaning, model, scrapes, failures, promql } = query;
  const isPlain = meaning.query === "value";
  const atMs = new Float64Array(scrapes.size);
  const values = new Float64Array(scrapes.size);
  const spanAt = spanOf(query);
  return (toMs) => {
    const group = scrapes.groups[0];
    if (group === undefined) return undefined;
    const span = spanAt(toMs);
    const { first, end } = scrapesIn(group, span);
    let count = 0;
    for (let scrape = first; scrape < end; scrape++) {
      const hasFailed = failures.failed(target, scrape);
      if (hasFailed && isPlain) count = 0;
      if (hasFailed) continue;
      atMs[count] = group.atMs[scrape % scrapes.size] ?? 0;
      values[count++] = totalValue(meaning.of, group, scrape % scrapes.size, model);
    }
    const value = overWindow(meaning.query, { atMs, values, count, fromMs: span.fromMs, toMs }, promql);
    return Number.isFinite(value) ? { value: milliText(value) } : undefined;
  };
}

function totalValue(of: MetricMeaning["of"], group: ScrapeGroup, slot: number, model: PodModel): number {
  switch (of) {
    case "requests":
      return group.served[slot] ?? 0;
    case "offered":
      return group.offered[slot] ?? 0;
    case "backlog":
      return group.backlog[slot] ?? 0;
    case "in-flight":
      return group.inFlight[slot] ?? 0;
    case "cpu":
      return (group.served[slot] ?? 0) * model.cpuPerRequest;
    case "memory":
      return (
        (group.serving[slot] ?? 0) * model.memory.base +
        (group.inFlight[slot] ?? 0) * model.memory.perInFlight
      );
  }
}
