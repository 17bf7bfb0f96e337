// The closed loop on the load of a recording: what its own specification, or another one, would have done.
import type { HpaMemory } from "@plimsoll/core";
import {
  type Autoscaler,
  type Load,
  type ReplicaChange,
  type Scenario,
  type SimulatedWorkload,
  simulate,
  type Workload,
  type WorkloadScores,
} from "@plimsoll/simulator";
import { lastAtOrBefore, metricsOf } from "@plimsoll/simulator/parts";
import type { RecordedSpan, Recording } from "../replay/recording.ts";
import { type InferredLoad, lookbackMs } from "./load.ts";
import { type MetricKey, metricKey, metricText, requestedOf } from "./metric-target.ts";
import { startUpDelay } from "./startup.ts";

/** What the pods of one specification came to. */
export interface LoopFigures {
  /** ∫ desired replicas, in hours. */
  readonly podHours: number;
  /** Highest desired count. */
  readonly peak: number;
  readonly events: number;
  readonly reversals: number;
  /** Load above what a pod may have. */
  readonly hotSeconds: number;
  readonly shortPodSeconds: number;
}

/** How the recorded controller works. */
export interface LoopClock {
  readonly syncPeriodMs: number;
  /** From one decision to the next. */
  readonly periodMs: number;
  /** Instants of decisions; none where they are unknown. */
  readonly atMs: readonly number[];
}

/** Everything but the specification. */
export interface LoopRequest {
  readonly recording: Recording;
  readonly inferred: InferredLoad;
  readonly clock: LoopClock;
  /** Load of a Ready pod, above which it is hot. */
  readonly hotAbove: number;
  readonly seed: number;
  readonly signal?: { throwIfAborted(): void };
}

/** A span in which one specification counts. */
export interface LoopSegment extends RecordedSpan {
  readonly autoscaler: Autoscaler;
  /** The pods go on from the segment before; otherwise from the recorded count. */
  readonly goesOn: boolean;
}

/** A segment that was run. */
export interface LoopPart {
  readonly segment: RecordedSpan;
  /** At its begin. */
  readonly replicas: number;
  readonly workload: SimulatedWorkload;
}

/** The segments one after the other on a load, where one goes on from another. @throws what the signal throws */
export function runSegments(request: LoopRequest, segments: readonly LoopSegment[], load: Load): LoopFigures {
  const parts: LoopPart[] = [];
  let memory: HpaMemory | undefined;
  for (const segment of segments) {
    const before = segment.goesOn ? parts.at(-1) : undefined;
    const replicas = before === undefined ? countAt(request.recording, segment.fromMs) : endOf(before);
    const start = { load, replicas, memory: before === undefined ? undefined : memory };
    const run = simulate(segmentScenario(request, segment, start), {
      seriesPoints: 0,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      onSync: ({ result }) => {
        memory = result.memory;
      },
    });
    for (const workload of run.workloads) parts.push({ segment, replicas, workload });
  }
  return figuresOf(parts);
}

/** The scenario of a segment that goes on from nothing. */
export function freshScenario(request: LoopRequest, segment: LoopSegment, load: Load): Scenario {
  const replicas = startOf(request.recording, segment);
  return segmentScenario(request, segment, { load, replicas, memory: undefined });
}

/** The recorded count, as far as the specification allows it. */
export function startOf(recording: Recording, { fromMs, autoscaler }: LoopSegment): number {
  const { minReplicas = 1, maxReplicas } = autoscaler.hpa.spec;
  return Math.min(maxReplicas, Math.max(minReplicas, countAt(recording, fromMs)));
}

function endOf({ workload, replicas }: LoopPart): number {
  return workload.changes.at(-1)?.to ?? replicas;
}

export function figuresOf(parts: readonly LoopPart[]): LoopFigures {
  const sum = (of: (scores: WorkloadScores) => number): number =>
    parts.reduce((all, { workload }) => all + of(workload.scores), 0);
  const areas = parts.map(({ workload, segment, replicas }) =>
    desiredArea(workload.changes, segment, replicas),
  );
  return {
    podHours: areas.reduce((all, { podMs }) => all + podMs, 0) / 3_600_000,
    peak: Math.max(0, ...areas.map(({ peak }) => peak)),
    events: sum(({ events }) => events),
    reversals: sum(({ reversals }) => reversals),
    hotSeconds: sum(({ hotSeconds }) => hotSeconds),
    shortPodSeconds: sum(({ shortPodSeconds }) => shortPodSeconds),
  };
}

/** ∫ count over a span, out of its changes. */
export function desiredArea(
  changes: readonly Pick<ReplicaChange, "atMs" | "to">[],
  { fromMs, toMs }: RecordedSpan,
  first: number,
): { readonly podMs: number; readonly peak: number } {
  let [podMs, peak, replicas, lastMs] = [0, first, first, fromMs];
  for (const { atMs, to } of changes) {
    podMs += replicas * (atMs - lastMs);
    [replicas, lastMs] = [to, atMs];
    peak = Math.max(peak, to);
  }
  return { podMs: podMs + replicas * (toMs - lastMs), peak };
}

/** The count that was recorded at an instant. */
export function countAt({ scale, status }: Pick<Recording, "scale" | "status">, atMs: number): number {
  const at = lastAtOrBefore(
    scale.map((one) => one.atMs),
    atMs,
  );
  return scale[Math.max(0, at)]?.value ?? status[0]?.currentReplicas ?? 1;
}

/** Capacity is far above the load: recorded pods served what came, and nothing says at how much they would not. */
const spareCapacity = 1000;
const usualResourceMs = 15_000;
const usualTerminationMs = 30_000;
/** From the write of the scale until pods are created or deleted. */
const reactionMs = 200;

function segmentScenario(
  { inferred, clock, seed, hotAbove, recording }: LoopRequest,
  { fromMs, toMs, autoscaler }: LoopSegment,
  start: { readonly load: Load; readonly replicas: number; readonly memory: HpaMemory | undefined },
): Scenario {
  const { load, replicas, memory } = start;
  const next = clock.atMs[lastAtOrBefore(clock.atMs, fromMs - 1) + 1];
  const firstSyncMs = next === undefined || next - fromMs > clock.periodMs ? undefined : next - fromMs;
  const { windowMs, scrapeMs } = inferred.measuring;
  const { target } = recording;
  return {
    startMs: fromMs,
    durationMs: toMs - fromMs,
    seed,
    controller: {
      syncPeriodMs: clock.syncPeriodMs,
      slipMs: Math.max(0, clock.periodMs - clock.syncPeriodMs),
      ...(firstSyncMs === undefined ? {} : { firstSyncMs }),
      reactionMs,
      options: {},
    },
    scraping: {
      intervalMs: scrapeMs === 0 ? usualResourceMs : scrapeMs,
      failures: 0,
      cacheAgeMs: 0,
      promql: "3",
      lookbackMs,
      resourceIntervalMs: scrapeMs === 0 ? windowMs : usualResourceMs,
      ...(inferred.resourceQuery === undefined ? {} : { resourceQuery: inferred.resourceQuery }),
    },
    workloads: [
      {
        namespace: target.namespace,
        name: target.name,
        kind: target.kind,
        replicas,
        load,
        pod: podModel(recording, inferred, hotAbove),
        metrics: meaningsOf(inferred),
        recorded: inferred.totals,
        objective: { utilization: hotAbove / capacityOf(inferred, hotAbove) },
        autoscaler: { ...autoscaler, ...(memory === undefined ? {} : { memory }) },
      },
    ],
  };
}

function podModel({ pods }: Recording, inferred: InferredLoad, hotAbove: number): Workload["pod"] {
  const { metric, startUpsMs, idle, cpu: ofCpu } = inferred;
  const { container } = metric;
  const [cpu, memory] = ["cpu", "memory"].map((resource) => requestedOf(pods, resource, container));
  const [named = "app"] = Object.keys(pods.at(-1)?.requests ?? {});
  const isCpu = metric.kind === "cpu";
  return {
    container: container ?? named,
    requests: {
      ...(cpu === undefined && !isCpu ? {} : { cpu: cpu ?? 1 }),
      ...(memory === undefined ? {} : { memory }),
    },
    limits: {},
    serviceTimeMs: 1000 / capacityOf(inferred, hotAbove),
    serviceVariation: 1,
    concurrency: 1,
    cpuPerRequest: isCpu ? 1 : (ofCpu?.perRequest ?? 0),
    idleCpu: isCpu ? idle : (ofCpu?.idle ?? 0),
    memory: { base: 0, perInFlight: 0, isReleased: true },
    balancing: "shared",
    start: {
      schedule: { kind: "fixed", ms: 0 },
      pull: { kind: "fixed", ms: 0 },
      ready: startUpDelay(startUpsMs),
    },
    crashesPerHour: 0,
    terminationMs: usualTerminationMs,
    drainMs: 0,
  };
}

function capacityOf({ capacity }: InferredLoad, hotAbove: number): number {
  return capacity ?? hotAbove * spareCapacity;
}

function meaningsOf({ metric, measuring, capacity }: InferredLoad): Workload["metrics"] {
  const { windowMs } = measuring;
  if (metric.kind === "pods")
    return {
      [metric.name]:
        windowMs === 0
          ? { of: "requests", query: "irate", windowMs: lookbackMs }
          : { of: "requests", query: "rate", windowMs },
    };
  return capacity === undefined ? {} : { [metric.name]: { of: "backlog", query: "value", windowMs } };
}

/** What of a specification cannot be simulated on this load; undefined where all can. */
export function unknownMetric(autoscaler: Autoscaler, { known }: InferredLoad): string | undefined {
  const unknown = metricsOf(autoscaler)
    .map(metricKey)
    .find((key) => !known.some((one) => isSame(one, key)));
  if (unknown === undefined) return undefined;
  const names = known.map(metricText).join(", ");
  return `it scales on ${metricText(unknown)}, but the recording only has the load of ${names}`;
}

function isSame(a: MetricKey, b: MetricKey): boolean {
  return a.kind === b.kind && a.name === b.name && a.container === b.container;
}
