// What a search for a better specification is asked.
import type { Autoscaler } from "@plimsoll/simulator";
import type { InferredLoad } from "../infer/load.ts";
import type { Recording } from "../replay/recording.ts";
import type { ParameterName, ParameterValue } from "./candidate.ts";

/** Everything that a search depends on: equal requests give equal reports. */
export interface TuneRequest {
  readonly recording: Recording;
  /** The manifest of the recording, read with `readAutoscaler`; changes in the recording are laid over it. */
  readonly autoscaler: Autoscaler;
  /** Of the recording and the autoscaler. */
  readonly inferred: InferredLoad;
  /** Of the recorded controller. */
  readonly periodMs: number;
  readonly seed: number;
  readonly objective: TuneObjective;
  /** IANA name: whole days and floors are in it. */
  readonly timeZone: string;
  /** Specifications of the first round, 64–256; 256 when absent. */
  readonly candidates?: number;
  /** What may be varied; all of it when absent. */
  readonly space?: TuneSpace;
  /** Of the open loop on this recording, 0–1: confidence is lower without it. */
  readonly openLoopSkill?: number;
  /** Goes on where the control run is too far from what was recorded. */
  readonly isForced?: boolean;
  /** An interruption ends the search with what is known until then. An AbortSignal is one. */
  readonly signal?: TuneSignal;
}

/** The part of an AbortSignal that is read. */
export interface TuneSignal {
  readonly aborted: boolean;
  throwIfAborted(): void;
}

/** When the workload is well. A specification that is worse than today's is never recommended beyond the budget. */
export interface TuneObjective {
  /** Load of a Ready pod above which it is hot, in the unit of the load. */
  readonly hotAbove?: number;
  /**
   * The same as a part, 0–1, of what a pod requests of cpu: for a load in cpu only. Without both, the highest load that
   * a pod was recorded with.
   */
  readonly utilization?: number;
  /** Budget of a day; absent: 0.1 % of it. */
  readonly hotSecondsPerDay?: number;
  /** Budget of a day; absent: 0.01 % of the pod-seconds that the load needs. */
  readonly shortPodSecondsPerDay?: number;
}

/** "today": as it is. A range, both ends included; or the values themselves. */
export type ParameterLimit =
  | "today"
  | { readonly min?: number; readonly max?: number }
  | readonly ParameterValue[];

/** Limits by parameter; the others are not narrowed. */
export type TuneSpace = { readonly [Name in ParameterName]?: ParameterLimit };
