// The steps of which a decision's trace consists.

import type { DecisionMode } from "../mode.ts";
import type { ReplicaBounds } from "../schedules/bounds.ts";
import type { ActiveSchedule, ScheduleConflict } from "../schedules/state.ts";
import type { FailurePolicyTrace } from "./failure-policy.ts";
import type { UnconfirmedScaleTrace, UnknownHistoryTrace } from "./history.ts";
import type { MetricTrace } from "./metric.ts";

/** One link in the chain of reasons, in the order in which they came up. */
export type TraceStep =
  | ScaleTrace
  | UnconfirmedScaleTrace
  | UnknownHistoryTrace
  | SchedulesTrace
  | SeedTrace
  | DisabledTrace
  | BoundsTrace
  | SelectorTrace
  | FailurePolicyTrace
  | MetricTrace
  | CombineTrace
  | StabilizeTrace
  | RateTrace
  | LimitTrace
  | CooldownTrace
  | ModeTrace
  | ResultTrace;

/** What the scale subresource said. */
export interface ScaleTrace {
  readonly kind: "scale";
  readonly specReplicas?: number;
  readonly statusReplicas?: number;
  readonly selector?: string;
  readonly error?: string;
}

/** What the schedules of the object impose. */
export interface SchedulesTrace extends ReplicaBounds {
  readonly kind: "schedules";
  /** Minimum and maximum of the specification; those that count stand beside it. */
  readonly own: ReplicaBounds;
  readonly floor?: number;
  readonly ceiling?: number;
  readonly conflict?: ScheduleConflict;
  readonly active: readonly ActiveSchedule[];
  /** Nothing in this changes before. */
  readonly nextMs?: number;
  /** Whether something changes then is unknown: the search ended there. */
  readonly isSearchEnd?: true;
  /** There are no metrics: the minimum is the count. */
  readonly isWithoutMetrics: boolean;
}

/** The first evaluation of this HPA: the current replicas open the log of recommendations. */
export interface SeedTrace {
  readonly kind: "seed";
  readonly replicas: number;
}

/** The target has zero replicas: the HPA did not put it there, or a schedule keeps it there. */
export interface DisabledTrace {
  readonly kind: "disabled";
  readonly isBySchedule?: true;
}

/** The count lies outside [min, max]: metrics are not read. */
export interface BoundsTrace {
  readonly kind: "bounds";
  readonly currentReplicas: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly result: number;
}

/** The scale's selector cannot be used. */
export interface SelectorTrace {
  readonly kind: "selector";
  readonly reason: string;
  readonly message: string;
}

/** Which of the proposals won, or why none may. A metric that is left out has neither replicas nor error. */
export interface CombineTrace {
  readonly kind: "combine";
  readonly proposals: readonly {
    readonly index: number;
    readonly name: string;
    readonly replicas?: number;
    readonly error?: string;
  }[];
  /** Index of the metric that decides. */
  readonly winner?: number;
  readonly result?: number;
  /** "failed": every metric failed; "blocked": a failed metric forbids the scale-down that the others propose. */
  readonly outcome: "accepted" | "accepted-despite-errors" | "failed" | "blocked";
}

/** The window of past recommendations. */
export interface StabilizeTrace {
  readonly kind: "stabilize";
  readonly mode: "legacy" | "behavior";
  readonly currentReplicas: number;
  readonly desired: number;
  readonly result: number;
  /** Absent in legacy mode, which does not hold scale-ups back. */
  readonly upWindowSeconds?: number;
  readonly downWindowSeconds: number;
  /** Lowest within the up window and highest within the down window, the new one included. */
  readonly lowest?: number;
  readonly highest: number;
  /** The latest of the past recommendations that hold the count, when one does. */
  readonly heldBy?: { readonly replicas: number; readonly atMs: number };
  readonly reason: string;
}

/** The policies of spec.behavior in the direction of the change. */
export interface RateTrace {
  readonly kind: "rate";
  readonly direction: "up" | "down";
  readonly selectPolicy: string;
  readonly currentReplicas: number;
  readonly policies: readonly PolicyTrace[];
  readonly limit: number;
}

/** One policy of spec.behavior, with the changes that it counts. */
export interface PolicyTrace {
  readonly type: string;
  readonly value: number;
  readonly periodSeconds: number;
  /** Replicas added and removed within the period, and the changes themselves. */
  readonly added: number;
  readonly removed: number;
  /** Replicas that a former process may have added within the period; negative: removed. */
  readonly unknown?: number;
  readonly events: readonly {
    readonly direction: "up" | "down";
    readonly change: number;
    readonly atMs: number;
  }[];
  /** Count at the start of the period: current − added + removed − unknown. */
  readonly start: number;
  readonly limit: number;
}

/** min, max and rate applied to the stabilized value. */
export interface LimitTrace {
  readonly kind: "limit";
  readonly from: number;
  readonly result: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** Upper and lower end that applied, where one did. */
  readonly cap?: number;
  readonly floor?: number;
  readonly reason: string;
}

/** The retired forbidden windows held a change back. */
export interface CooldownTrace {
  readonly kind: "cooldown";
  readonly reason: string;
  readonly lastScaleAtMs: number;
  readonly windowMs: number;
}

/** The mode keeps a scale from being made. */
export interface ModeTrace {
  readonly kind: "mode";
  readonly mode: Exclude<DecisionMode, "Active">;
  /** What the replicas would be changed to. */
  readonly scaleTo: number;
}

/** The end of the chain. */
export interface ResultTrace {
  readonly kind: "result";
  readonly action: "scale" | "hold" | "error";
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly reason: string;
  readonly error?: string;
}
