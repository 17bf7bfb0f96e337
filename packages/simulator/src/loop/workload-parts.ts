// Puts a workload together: its load, its requests, its pods, what measures it and what decides about it.
import { loadCursor } from "../load/cursor.ts";
import { createMeasurements, type Measurements, maxWindowMs } from "../measure/samples.ts";
import { podCapacity } from "../plant/capacity.ts";
import { createFlow, type MovingFlow } from "../plant/flow.ts";
import type { PodsOptions } from "../plant/pod-world.ts";
import { createPods, type Pods } from "../plant/pods.ts";
import type { Scenario, Workload } from "../scenario.ts";
import { type Changes, createChanges } from "../score/changes.ts";
import { createMeter, type Meter } from "../score/meter.ts";
import { createPodTime, type PodTime } from "../score/pod-time.ts";
import { createSeriesRecorder, type SeriesRecorder } from "../score/series-recorder.ts";
import { createSyncLoop, metricsOf, type SyncLoop } from "./sync.ts";

/** What a workload is made of while it runs. */
export interface WorkloadParts {
  readonly workload: Workload;
  readonly moving: MovingFlow;
  readonly pods: Pods;
  readonly measurements: Measurements;
  /** Undefined: nothing scales it. */
  readonly loop: SyncLoop | undefined;
  readonly meter: Meter;
  readonly time: PodTime;
  readonly changes: Changes;
  readonly series: SeriesRecorder | undefined;
}

/** The parts at `fromMs`, where the warm-up begins. */
export function createWorkloadParts(
  scenario: Scenario,
  workload: Workload,
  run: Pick<PodsOptions, "nodes" | "advance"> & { readonly fromMs: number; readonly seriesPoints: number },
): WorkloadParts {
  const { startMs, durationMs, seed, controller } = scenario;
  const { pod, autoscaler, name } = workload;
  const { fromMs, seriesPoints: points, nodes, advance } = run;
  const capacity = podCapacity(pod);
  const series = points === 0 ? undefined : createSeriesRecorder({ startMs, durationMs, points, capacity });
  const meter = createMeter(workload, series);
  const load = loadCursor(workload.load, fromMs, { seed, purpose: `${name}/load` });
  const { queueLimit = Infinity, timeoutMs = Infinity, serviceTimeMs } = pod;
  const moving = createFlow({ capacity, serviceTimeMs, queueLimit, timeoutMs }, load, fromMs, meter.observe);
  const keptMs = maxWindowMs(workload, scenario);
  const pods = createPods({ workload, seed, flow: moving.flow, startMs: fromMs, nodes, keptMs, advance });
  const specs = autoscaler === undefined ? [] : metricsOf(autoscaler);
  const loop = autoscaler === undefined ? undefined : createSyncLoop(autoscaler, controller, `app=${name}`);
  return {
    workload,
    moving,
    pods,
    measurements: createMeasurements(scenario, workload, specs, fromMs),
    loop,
    meter,
    time: createPodTime(pods, loop),
    changes: createChanges(),
    series,
  };
}
