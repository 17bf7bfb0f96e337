// What the simulated Prometheus scrapes: the pods, and an exporter for each workload.
import type { Labels } from "@plimsoll/prometheus";
import type { LoadedPod, LoadedWorkload } from "../load/loaded-pods.ts";
import { identityOf, idle, marked, maxMemoryBytes, perUnit, type SeriesName } from "./metrics.ts";
import type { Series } from "./series.ts";

/** A target, which is scraped in a rhythm of its own. */
export interface Target {
  /** The same for a pod that takes the name of another. */
  readonly key: string;
  readonly namespace: string;
  readonly up: Series;
  readonly metrics: readonly Metric[];
  /** Whether it responds. */
  readonly isUp: () => boolean;
  dueMs: number;
  /** Counters have grown until then. */
  grownMs: number;
  /** When it went away; undefined while it exists. */
  goneMs: number | undefined;
}

/** One series of a target. */
export interface Metric {
  readonly series: Series;
  readonly isCounter: boolean;
  /** The value of a gauge, or what a counter grows by in a second. */
  readonly level: (nowMs: number) => number;
  /** Of a counter. */
  total: number;
}

/** What a target needs of the world. */
export interface TargetSeams {
  /** The demand on a workload. */
  readonly unitsOf: (namespace: string, workload: string, nowMs: number) => number;
  /** What one of its serving pods gets of it. */
  readonly shareOf: (namespace: string, workload: string, nowMs: number) => number;
  /** Numbers series. */
  readonly nextNumber: () => number;
  /** The series of these labels, also if another target had it before. */
  readonly seriesOf: (name: string, labels: Labels, identity: string) => Series;
}

/** A series that a target exports. */
interface Declaration {
  readonly name: SeriesName;
  readonly object: string;
  readonly labels: Labels;
  readonly level: (nowMs: number, number: number) => number;
}

export function podKey({ namespace, name }: Pick<LoadedPod, "namespace" | "name">): string {
  return `pod ${namespace}/${name}`;
}

export function workloadKey({ namespace, name }: LoadedWorkload): string {
  return `workload ${namespace}/${name}`;
}

export function podTarget(pod: LoadedPod, seams: TargetSeams): Target {
  const { shareOf } = seams;
  const { namespace, name } = pod;
  const labels = { namespace, pod: name };
  const share = onceEach((nowMs) => (pod.isServing ? shareOf(namespace, pod.workload, nowMs) : 0));
  const declarations: Declaration[] = [
    {
      name: "http_requests_total",
      object: name,
      labels,
      level: (nowMs, number) => marked(share(nowMs) * perUnit.http_requests_total, number),
    },
    {
      name: "busy_workers",
      object: name,
      labels,
      level: (nowMs, number) => marked(share(nowMs) * perUnit.busy_workers, number),
    },
  ];
  for (const [at, container] of pod.containers.entries()) {
    const work = (nowMs: number): number => (at === 0 ? share(nowMs) : 0);
    const own = { object: `${name}/${container}`, labels: { ...labels, container } };
    declarations.push(
      {
        ...own,
        name: "container_cpu_usage_seconds_total",
        level: (nowMs, number) => idle.cores + work(nowMs) + (number % 89) / 1_000,
      },
      {
        ...own,
        name: "container_memory_working_set_bytes",
        level: (nowMs, number) => memoryOf(work(nowMs)) + (number % 9_973),
      },
    );
  }
  return targetOf(podKey(pod), namespace, {
    ...seams,
    declarations,
    labels,
    isUp: () => pod.isUp,
  });
}

/** All series of a target want the same at the time of a scrape. */
function onceEach(compute: (nowMs: number) => number): (nowMs: number) => number {
  let computedMs = Number.NaN;
  let value = 0;
  return (nowMs) => {
    if (nowMs !== computedMs) {
      value = compute(nowMs);
      computedMs = nowMs;
    }
    return value;
  };
}

function memoryOf(units: number): number {
  const bytes = idle.memoryBytes + units * perUnit.container_memory_working_set_bytes;
  return Math.floor(Math.min(bytes, maxMemoryBytes) / 10_000) * 10_000;
}

/** The exporter for what stands before and behind the pods of a workload: its Ingress, its Service and its queue. */
export function workloadTarget(workload: LoadedWorkload, seams: TargetSeams): Target {
  const { namespace, name } = workload;
  const { unitsOf, shareOf } = seams;
  const units = onceEach((nowMs) => unitsOf(namespace, name, nowMs));
  const declarations: readonly Declaration[] = [
    {
      name: "ingress_requests_total",
      object: name,
      labels: { namespace, ingress: name },
      level: (nowMs, number) => marked(units(nowMs) * perUnit.ingress_requests_total, number),
    },
    {
      name: "open_connections",
      object: name,
      labels: { namespace, service: name },
      level: (nowMs, number) => marked(shareOf(namespace, name, nowMs) * perUnit.open_connections, number),
    },
    {
      name: "queue_depth",
      object: name,
      labels: { namespace, queue: name },
      level: (nowMs, number) => marked(units(nowMs) * perUnit.queue_depth, number),
    },
  ];
  const labels = { namespace, exporter: name };
  return targetOf(workloadKey(workload), namespace, {
    ...seams,
    declarations,
    labels,
    isUp: () => true,
  });
}

interface TargetParts extends Pick<TargetSeams, "nextNumber" | "seriesOf"> {
  readonly declarations: readonly Declaration[];
  readonly labels: Labels;
  readonly isUp: () => boolean;
}

function targetOf(key: string, namespace: string, parts: TargetParts): Target {
  const { labels, nextNumber, seriesOf, isUp } = parts;
  const metrics = parts.declarations.map(({ name, object, labels: own, level }): Metric => {
    const number = nextNumber();
    return {
      series: seriesOf(name, own, identityOf(name, namespace, object)),
      isCounter: name.endsWith("_total"),
      level: (nowMs) => level(nowMs, number),
      total: 0,
    };
  });
  const up = seriesOf("up", labels, `up ${key}`);
  return { key, namespace, up, metrics, isUp, dueMs: 0, grownMs: 0, goneMs: undefined };
}

/** Counters grow by what their rate is now, since they grew last. */
export function growCounters(target: Target, nowMs: number): void {
  const seconds = (nowMs - target.grownMs) / 1_000;
  target.grownMs = nowMs;
  if (seconds <= 0 || !target.isUp()) return;
  for (const metric of target.metrics) if (metric.isCounter) metric.total += metric.level(nowMs) * seconds;
}

export function resetCounters({ metrics }: Target): void {
  for (const metric of metrics) metric.total = 0;
}
