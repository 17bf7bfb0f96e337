// What one evaluation takes and what it gives.

import type { FailurePolicy, LastGoodSamples } from "./failure-policy.ts";
import type { HorizontalPodAutoscaler } from "./hpa.ts";
import type { DecisionMode } from "./mode.ts";
import type { ControllerOptions } from "./options.ts";
import type { Pod } from "./pod.ts";
import type { MetricSamples } from "./samples.ts";
import type { ReplicaBounds } from "./schedules/bounds.ts";
import type { ScheduleProblem } from "./schedules/spec.ts";
import type { ScheduleState } from "./schedules/state.ts";
import type { HpaStatus } from "./status.ts";
import type { TraceStep } from "./trace/step.ts";

/** Everything one evaluation looks at. Plain JSON, or the objects of a Kubernetes client as they are. */
export interface DecideInput {
  /** Wall clock, milliseconds since 1970. */
  readonly nowMs: number;
  /** autoscaling/v2, defaulted or not; `hpa.status` is the stored status. */
  readonly hpa: HorizontalPodAutoscaler;
  readonly scale: ScaleReading;
  /** All pods that match the scale's selector, plain or from `preparePods`. */
  readonly pods: PodsReading;
  /** One entry per metric after defaulting, in order. */
  readonly samples: readonly MetricSamples[];
  /** "namespace/name" of all HPAs that select the same pods, this one included, when there is more than one. */
  readonly ambiguousWith?: readonly string[] | undefined;
  /** What schedules made of the bounds of `hpa.spec`, which has them already; from `withSchedules`. */
  readonly schedules?: ScheduledBounds | undefined;
  readonly options?: Partial<ControllerOptions> | undefined;
  /** Absent is "Active". */
  readonly mode?: DecisionMode | undefined;
  /** What each metric does while it cannot be read, by position in `samples`; absent is "Block". */
  readonly failurePolicies?: readonly FailurePolicy[] | undefined;
}

/** The scale subresource, or why it could not be read. */
export type ScaleReading =
  | {
      readonly ok: true;
      readonly specReplicas: number;
      readonly statusReplicas: number;
      /** Text form of the label selector, as scale.status.selector has it. */
      readonly selector: string;
    }
  | {
      readonly ok: false;
      readonly message: string;
      /** "spec": the reference itself is wrong; "internal" (the default): reading failed. */
      readonly kind?: "spec" | "internal" | undefined;
    };

/** The pods of the target, or why they could not be listed. */
export type PodsReading =
  | { readonly ok: true; readonly pods: readonly Pod[] }
  | { readonly ok: false; readonly message: string };

/** The bounds of a specification while schedules impose something on them, or could. */
export interface ScheduledBounds {
  /** As the specification has them. */
  readonly own: ReplicaBounds;
  /** As they count now. */
  readonly effective: ReplicaBounds;
  /** There are no metrics: the lower of the effective bounds is the count. */
  readonly isWithoutMetrics: boolean;
  readonly state: ScheduleState;
  /** Entries that do not count; the others do. */
  readonly problems?: readonly ScheduleProblem[];
}

/** What is remembered per HPA between evaluations. Plain JSON; start with `undefined`. */
export interface HpaMemory {
  readonly recommendations: readonly Recommendation[];
  readonly scaleUpEvents: readonly ScaleEvent[];
  readonly scaleDownEvents: readonly ScaleEvent[];
  /** Samples that `HoldLast` may go back to, by `metricIdentity`; absent without such a policy. */
  readonly lastGoodSamples?: Readonly<Record<string, LastGoodSamples>>;
  /** Since when metrics fail whose policy waits (`afterSeconds`), by `metricIdentity`; absent when none does. */
  readonly failingSinceMs?: Readonly<Record<string, number>>;
  /** Absent when every scale within the periods of the policies is known. */
  readonly unknownHistory?: UnknownHistory;
  /** Absent when it is known how the last scale ended. */
  readonly unconfirmedScale?: UnconfirmedScale;
}

/**
 * Another process decided before, and what it changed is unknown: until `untilMs` each policy counts as used up at
 * `lastScaleMs`, in either direction. Found by `recoverMemory`, ended by `decide`.
 */
export interface UnknownHistory {
  /** When a controller last changed the replicas. */
  readonly lastScaleMs: number;
  /** The longest period of the policies is over then. */
  readonly untilMs: number;
}

/**
 * A scale that may or may not be made: another controller is expected to make it, or a write ended without a response.
 * The memory has it as made. If the next evaluation finds other replicas, these events count instead.
 */
export interface UnconfirmedScale {
  readonly replicas: number;
  readonly scaleUpEvents: readonly ScaleEvent[];
  readonly scaleDownEvents: readonly ScaleEvent[];
}

/** A desired count before stabilization and limits. */
export interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

/** A change that was written to the scale. */
export interface ScaleEvent {
  /** Absolute number of replicas added or removed. */
  readonly change: number;
  readonly atMs: number;
  /** Its slot may be reused; it still counts while a policy's period covers it. */
  readonly outdated?: boolean;
}

/** What one evaluation decided. */
export interface Decision {
  /** scale.spec.replicas before anything is written. */
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  /** Write this to the scale subresource, in mode "Active"; undefined: write nothing. */
  readonly scaleTo: number | undefined;
  /** Why the count changes; may be empty even when it does, as upstream's may. */
  readonly reason: string;
  /** The status to store. */
  readonly status: HpaStatus;
  /** `status` differs in meaning from the stored one. */
  readonly statusChanged: boolean;
  /** In the order in which they are to be recorded. */
  readonly events: readonly DecisionEvent[];
  readonly outcome: DecisionOutcome;
  readonly trace: readonly TraceStep[];
  /** Present with `scaleTo`: what `withFailedRescale` goes back to. */
  readonly beforeRescale?: RescaleUndo;
}

/** State before a rescale that the write may yet refuse. */
export interface RescaleUndo {
  readonly nowMs: number;
  /** KIND/NAMESPACE/NAME of the target. */
  readonly reference: string;
  readonly stored: HpaStatus;
  readonly scaleUpEvents: readonly ScaleEvent[];
  readonly scaleDownEvents: readonly ScaleEvent[];
}

/** An event of the API, about the object that was decided on. */
export interface DecisionEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** The labels of upstream's reconciliation metrics, and the error that the reconcile would return. */
export interface DecisionOutcome {
  readonly action: "scale_up" | "scale_down" | "none";
  readonly error: "none" | "spec" | "internal";
  readonly message?: string;
}

/** What `decide` gives: the decision, and the memory for the next evaluation. */
export interface DecideResult {
  readonly decision: Decision;
  readonly memory: HpaMemory;
}
