// One workload in a run: its load, pods, measurements and autoscaler, from event to event.
import { loadCursor } from "../load/cursor.ts";
import { createMeasurements, longestWindowMs } from "../measure/samples.ts";
import { podCapacity } from "../plant/capacity.ts";
import { createFlow } from "../plant/flow.ts";
import type { Nodes } from "../plant/nodes.ts";
import { createPods } from "../plant/pods.ts";
import { randomStream } from "../random/stream.ts";
import { createChanges } from "../score/changes.ts";
import { createMeter } from "../score/meter.ts";
import { createPodTime } from "../score/pod-time.ts";
import { createSeriesRecorder } from "../score/series-recorder.ts";
import type { SimulatedWorkload, SyncView } from "./result.ts";
import type { Scenario, Workload } from "./scenario.ts";
import { createSyncLoop, metricsOf } from "./sync.ts";

/** A workload while it runs. */
export interface WorkloadRun {
  /** When something happens in it; Infinity: never again. */
  readonly nextMs: number;
  readonly syncs: number;
  /** Brings its requests up to an instant, before something happens to it. */
  advance(atMs: number): void;
  /** Does what is due at `nextMs`. */
  step(): void;
  /** What came before does not count. */
  begin(): void;
  finish(): SimulatedWorkload;
}

/** What a run of a workload is given. */
export interface WorkloadRunOptions {
  readonly scenario: Scenario;
  readonly index: number;
  readonly workload: Workload;
  readonly nodes: { readonly pool: Nodes; readonly need: number } | undefined;
  readonly warmUpMs: number;
  readonly seriesPoints: number;
  readonly onSync: ((sync: SyncView) => void) | undefined;
}

/** A workload before the warm-up of its metrics. */
export function createWorkloadRun(options: WorkloadRunOptions): WorkloadRun {
  const { scenario, workload, index, onSync } = options;
  const { startMs, durationMs, seed, controller } = scenario;
  const fromMs = startMs - options.warmUpMs;
  const endMs = startMs + durationMs;
  const { pod, autoscaler } = workload;
  const capacity = podCapacity(pod);
  const points = options.seriesPoints;
  const series = points === 0 ? undefined : createSeriesRecorder({ startMs, durationMs, points, capacity });
  const meter = createMeter(workload, series);
  const load = loadCursor(workload.load, fromMs, { seed, purpose: `${workload.name}/load` });
  const { queueLimit = Infinity, timeoutMs = Infinity, serviceTimeMs } = pod;
  const moving = createFlow({ capacity, serviceTimeMs, queueLimit, timeoutMs }, load, fromMs, meter.observe);
  const { flow } = moving;
  const keptMs = longestWindowMs(workload, scenario);
  const pods = createPods({ workload, seed, flow, startMs: fromMs, nodes: options.nodes, keptMs });
  const measurements = createMeasurements(scenario, workload, autoscaler === undefined ? [] : metricsOf(autoscaler), fromMs);
  const loop = autoscaler === undefined ? undefined : createSyncLoop(autoscaler, controller, `app=${workload.name}`);
  const time = createPodTime(pods, loop);
  const changes = createChanges();
  let desired = workload.replicas;
  let syncs = 0;
  let actMs = Infinity;
  const phaseMs = controller.firstSyncMs ?? randomStream(seed, `${workload.name}/sync`).uniform() * controller.syncPeriodMs;
  let syncMs = loop === undefined ? Infinity : startMs + phaseMs;

  const advance = (atMs: number): void => {
    if (flow.nowMs >= startMs) time.advance(Math.min(atMs, endMs), desired);
    moving.advance(atMs);
  };
  const sync = (atMs: number): void => {
    if (loop === undefined) return;
    const made = loop.sync({ atMs, specReplicas: desired, pods, measurements });
    const { scaleTo } = made.result.decision;
    if (scaleTo !== undefined) {
      changes.add({ atMs, from: desired, to: scaleTo });
      desired = scaleTo;
      actMs = Math.min(actMs, atMs + controller.reactionMs);
    }
    series?.desired(atMs, desired);
    onSync?.({ workload: index, atMs, ...made });
    syncs++;
    syncMs = atMs + loop.periodMs + controller.slipMs;
  };
  return {
    get nextMs() {
      return Math.min(pods.nextMs, measurements.nextMs, syncMs, actMs);
    },
    get syncs() {
      return syncs;
    },
    advance,
    step() {
      const atMs = Math.min(pods.nextMs, measurements.nextMs, syncMs, actMs);
      advance(atMs);
      if (pods.nextMs <= atMs) pods.step(atMs);
      if (measurements.nextMs <= atMs) measurements.step(atMs, flow);
      if (syncMs <= atMs) sync(atMs);
      if (actMs > atMs) return;
      actMs = Infinity;
      pods.scaleTo(atMs, desired);
    },
    begin() {
      advance(startMs);
      meter.isOn = true;
      time.begin(startMs);
      series?.desired(startMs, desired);
    },
    finish() {
      advance(endMs);
      const { offered, served, lost, backlogMax } = meter;
      const { quantile } = workload.objective.latency ?? { quantile: 0.95 };
      return {
        namespace: workload.namespace,
        name: workload.name,
        scores: {
          offered,
          served,
          lost,
          backlog: flow.queue.backlog,
          backlogMax,
          idealPodHours: meter.idealSeconds / 3600,
          shortPodSeconds: meter.shortSeconds,
          hotSeconds: meter.hotSeconds,
          transientSeconds: meter.transientSeconds,
          ...time.read(),
          events: changes.all.length,
          reversals: changes.reversals,
          replicasMax: changes.all.reduce((max, { to }) => Math.max(max, to), workload.replicas),
          podsStarted: pods.started,
          crashes: pods.crashes,
          latencyMs: meter.latency.quantile(quantile),
        },
        changes: changes.all,
        series: series?.read() ?? noSeries(startMs, durationMs),
      };
    },
  };
}

function noSeries(startMs: number, durationMs: number): SimulatedWorkload["series"] {
  const none: readonly number[] = [];
  return {
    startMs,
    bucketMs: durationMs,
    load: none,
    capacity: none,
    ready: none,
    desired: none,
    hot: none,
    short: none,
    backlog: none,
  };
}
