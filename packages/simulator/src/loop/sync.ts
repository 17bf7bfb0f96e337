// One autoscaler in the loop: the input as a controller gathers it, the decision, and what it leaves behind.
import { type DecideInput, type DecideResult, decide, type HpaMemory, type HpaSpec } from "@plimsoll/core";
import { defaultHpa } from "@plimsoll/core/api";
import type { Measurements } from "../measure/samples.ts";
import type { Pods } from "../plant/pods.ts";
import type { Autoscaler, Controller } from "../scenario.ts";
import { createBounds } from "./bounds.ts";

/** What a sync reads. */
export interface Observed {
  readonly atMs: number;
  readonly specReplicas: number;
  readonly pods: Pods;
  readonly measurements: Measurements;
}

/** An autoscaler with its stored status and its memory. */
export interface SyncLoop {
  /** From the end of one sync to the next. */
  readonly periodMs: number;
  readonly maxReplicas: number;
  /** A schedule moves the bounds; undefined without schedules. */
  readonly isScheduled: boolean | undefined;
  sync(observed: Observed): {
    readonly input: DecideInput;
    readonly memory: HpaMemory | undefined;
    readonly result: DecideResult;
  };
}

/** The loop of one autoscaler. */
export function createSyncLoop(autoscaler: Autoscaler, controller: Controller, selector: string): SyncLoop {
  const options = { ...controller.options, ...autoscaler.options };
  const bounds = createBounds(autoscaler);
  let { hpa } = autoscaler;
  let { memory } = autoscaler;
  let spec = hpa.spec;
  let isScheduled: boolean | undefined;
  return {
    periodMs: autoscaler.syncPeriodMs ?? controller.syncPeriodMs,
    get maxReplicas() {
      return spec.maxReplicas;
    },
    get isScheduled() {
      return isScheduled;
    },
    sync({ atMs, specReplicas, pods, measurements }) {
      const scheduled = bounds(atMs);
      if (scheduled.spec !== spec) {
        spec = scheduled.spec;
        hpa = { ...hpa, spec };
      }
      if (scheduled.schedules !== undefined) isScheduled = isMoved(autoscaler.hpa.spec, spec);
      const input: DecideInput = {
        nowMs: atMs,
        hpa,
        scale: { ok: true, specReplicas, statusReplicas: pods.active, selector },
        pods: { ok: true, pods: pods.objects },
        samples: measurements.samples(atMs, pods.all),
        options,
        ...(scheduled.schedules === undefined ? {} : { schedules: scheduled.schedules }),
        ...(autoscaler.failurePolicies === undefined ? {} : { failurePolicies: autoscaler.failurePolicies }),
      };
      const before = memory;
      const result = decide(input, before);
      memory = result.memory;
      if (result.decision.statusChanged) hpa = { ...hpa, status: result.decision.status };
      return { input, memory: before, result };
    },
  };
}

function isMoved(own: HpaSpec, { minReplicas, maxReplicas }: HpaSpec): boolean {
  return minReplicas !== (own.minReplicas ?? 1) || maxReplicas !== own.maxReplicas;
}

/** The metrics of an autoscaler, with those that the API adds. */
export function metricsOf({ hpa, schedules }: Autoscaler): NonNullable<HpaSpec["metrics"]> {
  const { metrics } = hpa.spec;
  // Without metrics, schedules alone decide; the API gives an HPA the cpu.
  if ((metrics ?? []).length === 0 && schedules !== undefined) return [];
  return defaultHpa(hpa).spec.metrics ?? [];
}
