// What each metric was at the instants of the decisions, by its query.
import type { QueryMetricSource } from "@plimsoll/core";
import { formatMatchers, labelOf, type Matcher, type PrometheusClient, rangesOf } from "@plimsoll/prometheus";
import { defaultSource } from "@plimsoll/rules";
import type { RecordedPod, RecordedSample, RecordedSpan } from "../replay/recording.ts";
import type { MetricFacts } from "./manifest.ts";
import type { MetricQuery } from "./metric-rules.ts";
import { packedSample, withSharedNames } from "./packed-sample.ts";
import { daysOf, maxSteps, type Runner } from "./plan.ts";
import { joined, type Track } from "./track.ts";

/** With more pods in a day their names make a query too long: then all of the namespace are read. */
const maxNamed = 300;
/** An instant that lies farther from the grid begins a new one: a part of the period, and no more than a second. */
const maxOffsetMs = 1000;
const maxOffsetShare = 0.02;
const rateWindow = "2m";
/** A response of more points takes its memory several times over while it is read. */
const maxPoints = 60_000;

/** A query that was given for a metric; pods are found by the label `pod`. */
export function givenQuery(promql: string, { spec }: MetricFacts): MetricQuery {
  const isOfPods = spec.object === undefined && spec.external === undefined;
  return { ok: true, promql: () => promql, podLabel: isOfPods ? "pod" : undefined };
}

const namespaceLabel = "namespace";

/**
 * The query that the object brings along, confined to its namespace as metrics-adapter does it, by the usual label. The
 * grammar of PromQL is loaded for it alone.
 */
export async function ownQuery(
  { promql, source, podLabel }: QueryMetricSource,
  namespace: string,
): Promise<MetricQuery> {
  const { boundJoins, enforceNamespace } = await import("@plimsoll/prometheus/enforce");
  const enforced = enforceNamespace(promql, { label: namespaceLabel, namespace });
  if (!enforced.ok)
    return { ok: false, why: `its query cannot be confined to the namespace: ${enforced.message}` };
  if (source !== defaultSource)
    return {
      ok: false,
      why: `its query is for the source ${source}: set it with --query, and use the address of that server`,
    };
  const confined = boundJoins(enforced);
  return { ok: true, promql: () => confined, podLabel };
}

/** Usage as cAdvisor has it. */
export function usageQuery(
  { name, container }: MetricFacts,
  namespace: string,
  more: readonly Matcher[] = [],
): MetricQuery {
  const series: Readonly<Record<string, string>> = {
    cpu: "container_cpu_usage_seconds_total",
    memory: "container_memory_working_set_bytes",
  };
  const family = series[name];
  if (family === undefined) return { ok: false, why: `unknown series for the usage of ${name}` };
  const promql = (pods: readonly string[]): string => {
    const ofPods = pods.length > 0 ? `,pod=~"${pods.join("|").replaceAll(".", "[.]")}"` : "";
    const ofContainer =
      container === undefined ? `container!="",container!="POD"` : `container="${container}"`;
    const others = more.length === 0 ? "" : `,${formatMatchers(more)}`;
    const selector = `${family}{namespace="${namespace}",${ofContainer}${ofPods}${others}}`;
    return `sum by (pod) (${name === "cpu" ? `rate(${selector}[${rateWindow}])` : selector})`;
  };
  return { ok: true, promql, podLabel: "pod" };
}

/** Over how long the values of a query are means. `irate` takes two scrapes of its range. */
export function rangeMsOf(promql: string): number | undefined {
  const ranges = rangesOf(promql).filter(Number.isFinite);
  if (ranges.length === 0) return undefined;
  return /\b(?:irate|idelta)\s*\(/.test(promql) ? 0 : Math.max(...ranges);
}

export interface MetricReading {
  readonly client: PrometheusClient;
  readonly runner: Runner;
  readonly signal: AbortSignal;
  readonly pods: readonly RecordedPod[];
  readonly span: RecordedSpan;
  /** Of decisions; none where the clock is unknown. */
  readonly instants: readonly number[];
  readonly stepMs: number;
}

/** The values of a metric at each decision, or at each step where decisions are unknown. */
export async function readMetric(
  query: MetricQuery & { readonly ok: true },
  reading: MetricReading,
): Promise<readonly RecordedSample[]> {
  const { client, runner, signal, pods, instants, span, stepMs } = reading;
  const ofPods = query.podLabel === undefined ? [] : pods;
  const grids = instants.length > 0 ? gridsOf(instants, stepMs, ofPods) : plainGrids(span, stepMs);
  const parts = grids.map(({ fromMs, toMs }) => ({ fromMs, toMs }));
  const found = await runner.run(
    {
      promql: (part) => query.promql(query.podLabel === undefined ? [] : namesIn(pods, part)),
      request: (promql, part) =>
        client.queryRange(promql, { startMs: onGrid(part.fromMs, grids), endMs: part.toMs, stepMs, signal }),
    },
    parts,
  );
  const names = new Set(pods.map(({ name }) => name));
  return grids.flatMap((grid, at) =>
    // The halves of a span share the instant between them.
    samplesOf(joined([found[at] ?? []]), { grid, stepMs, podLabel: query.podLabel, names }),
  );
}

interface Grid {
  readonly fromMs: number;
  readonly toMs: number;
  /** Which decision a point of the grid is for; the point itself where decisions are unknown. */
  readonly instants: readonly number[] | undefined;
}

/** A half of a span begins at a point of its grid too. */
function onGrid(fromMs: number, grids: readonly Grid[]): number {
  const grid = grids.find((one) => one.fromMs <= fromMs && fromMs <= one.toMs);
  if (grid === undefined || grid.instants === undefined) return fromMs;
  const { instants } = grid;
  const stepMs = instants.length > 1 ? (grid.toMs - grid.fromMs) / (instants.length - 1) : 1;
  return grid.fromMs + Math.ceil((fromMs - grid.fromMs) / stepMs) * stepMs;
}

/** Instants of a constant period are one request, unless there are too many pods for that. */
export function gridsOf(
  instants: readonly number[],
  stepMs: number,
  pods: readonly RecordedPod[] = [],
): readonly Grid[] {
  const grids: Grid[] = [];
  const offsetMs = Math.min(maxOffsetMs, maxOffsetShare * stepMs);
  let own: number[] = [];
  let max = maxSteps;
  const close = (): void => {
    const [fromMs] = own;
    if (fromMs !== undefined) grids.push({ fromMs, toMs: fromMs + (own.length - 1) * stepMs, instants: own });
    own = [];
  };
  for (const instant of instants) {
    const [fromMs = instant] = own;
    const isNear = Math.abs(instant - (fromMs + own.length * stepMs)) <= offsetMs;
    const isFull = own.length >= max || instant - fromMs >= 86_400_000;
    if (own.length > 0 && (!isNear || isFull)) close();
    if (own.length === 0)
      max = Math.min(maxSteps, Math.ceil(maxPoints / Math.max(1, countAt(pods, instant))));
    own.push(instant);
  }
  close();
  return grids;
}

function countAt(pods: readonly RecordedPod[], atMs: number): number {
  return pods.filter(({ createdMs, deletedMs = Infinity }) => createdMs <= atMs && atMs < deletedMs).length;
}

function plainGrids(span: RecordedSpan, stepMs: number): readonly Grid[] {
  const maxSpanMs = (maxSteps - 1) * stepMs;
  return daysOf(span).flatMap((day) => {
    const grids: Grid[] = [];
    for (let fromMs = day.fromMs; fromMs < day.toMs; fromMs += maxSpanMs + stepMs)
      grids.push({ fromMs, toMs: Math.min(fromMs + maxSpanMs, day.toMs), instants: undefined });
    return grids;
  });
}

/** Pods that were there in a part of the span; none: too many to name. */
function namesIn(pods: readonly RecordedPod[], { fromMs, toMs }: RecordedSpan): readonly string[] {
  const there = pods.filter(
    ({ createdMs, deletedMs = Infinity }) => createdMs <= toMs && deletedMs + 600_000 >= fromMs,
  );
  return there.length > maxNamed ? [] : there.map(({ name }) => name);
}

interface OfGrid {
  readonly grid: Grid;
  readonly stepMs: number;
  readonly podLabel: string | undefined;
  readonly names: ReadonlySet<string>;
}

function samplesOf(
  tracks: readonly Track[],
  { grid, stepMs, podLabel, names }: OfGrid,
): readonly RecordedSample[] {
  const byInstant = new Map<number, { pods: (string | undefined)[]; values: number[] }>();
  for (const { labels, atMs, values } of tracks) {
    const pod = podLabel === undefined ? undefined : labelOf(labels, podLabel);
    if (podLabel !== undefined && (pod === undefined || (names.size > 0 && !names.has(pod)))) continue;
    for (const [n, at] of atMs.entries()) {
      const value = values[n] ?? Number.NaN;
      if (!Number.isFinite(value)) continue;
      const instant = grid.instants?.[Math.round((at - grid.fromMs) / stepMs)] ?? at;
      const own = byInstant.get(instant) ?? { pods: [], values: [] };
      byInstant.set(instant, own);
      own.pods.push(pod);
      own.values.push(value);
    }
  }
  const ordered = [...byInstant].toSorted(([a], [b]) => a - b);
  const packed = withSharedNames(ordered.map(([, own]) => own));
  return ordered.map(([atMs], at) => packedSample(atMs, packed[at] ?? { pods: [], values: [] }));
}
