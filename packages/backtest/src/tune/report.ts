// What a search gives.
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import type { Unknown } from "../infer/unknowns.ts";
import type { Control } from "../infer/what-if.ts";
import type { Candidate, ParameterName, ParameterValue } from "./candidate.ts";

/** Parts of the work, in their order. */
export type TuneStage = "halving" | "training" | "neighbors" | "validation" | "robustness" | "test";

/** What `tune` yields: progress, and at the end one report or one refusal. */
export type TuneProgress =
  | {
      readonly kind: "progress";
      readonly stage: TuneStage;
      /** Simulated days, of all stages so far. */
      readonly done: number;
      /** Of all stages, as far as it can be said now; it never falls below `done`. */
      readonly expected: number;
    }
  | { readonly kind: "report"; readonly report: TuneReport }
  | { readonly kind: "refused"; readonly refusal: TuneRefusal };

/** Why nothing is searched. */
export interface TuneRefusal {
  readonly kind: "too-few-days" | "model-error" | "objective" | "metric" | "space" | "time-zone" | "failed";
  /** With the value and the remedy. */
  readonly message: string;
  /** Where the days are the reason: how many whole days there are, and what is left out. */
  readonly days?: Pick<TuneSplit, "whole" | "leftOut">;
  /** Where the model is the reason. */
  readonly control?: Control;
}

/** Which days are for what: dates of the time zone. */
export interface TuneSplit {
  readonly timeZone: string;
  readonly whole: number;
  readonly training: readonly string[];
  readonly validation: readonly string[];
  /** Seen once, by today's and at most three finalists. */
  readonly test: readonly string[];
  /** Days of the recording that are not whole. */
  readonly leftOut: readonly { readonly date: string; readonly why: string }[];
  /** Fewer than 14 whole days: target and behavior alone are varied. */
  readonly isThin: boolean;
}

/** Lower and upper end of a 90 % interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A specification over some days; amounts are means of a day. */
export interface PeriodFigures {
  readonly days: number;
  readonly podHours: number;
  readonly shortPodSeconds: number;
  readonly hotSeconds: number;
  readonly events: number;
  readonly reversals: number;
  /** Highest desired count of all days. */
  readonly peak: number;
  /** Part of today's pod-hours on the same days, such as 0.11; negative where it takes more. */
  readonly saved: number;
  /** Of `saved`, by the paired differences of the days. */
  readonly interval: Interval;
  /** Days on which it was short or hot beyond both the budget and today's. */
  readonly brokenDays: number;
}

/** A specification that was simulated on all training days. */
export interface FrontPoint {
  readonly candidate: Candidate;
  readonly training: PeriodFigures;
  /** No other costs less and is less short and less hot. */
  readonly isOnFront: boolean;
}

/** What is applied. */
export type TunePatch =
  /** A merge patch of the object as it is today. */
  | {
      readonly kind: "merge-patch";
      readonly apiVersion: string;
      readonly object: "HorizontalPodAutoscaler" | "WorkloadAutoscaler";
      readonly namespace: string;
      readonly name: string;
      readonly patch: Readonly<Record<string, unknown>>;
    }
  /** In place of an HPA, which has no schedules. */
  | { readonly kind: "manifest"; readonly manifest: Readonly<Record<string, unknown>> };

/** One way in which it could be worse than it was. */
export interface RobustnessCheck {
  /** Such as "load +20 %" or "target 70 → 72". */
  readonly what: string;
  readonly isKept: boolean;
  /** A mean of the validation days, the hardest and the middle training day; beside them what was allowed. */
  readonly shortPodSeconds: number;
  readonly hotSeconds: number;
  readonly allowedShortPodSeconds: number;
  readonly allowedHotSeconds: number;
}

/** How far to believe it. */
export type Confidence = "high" | "medium" | "low";

/** A specification that kept the objective and cost less on days it was not chosen on. The first saves most. */
export interface Recommendation {
  readonly candidate: Candidate;
  readonly patch: TunePatch;
  /** On validation and test days together. */
  readonly saved: number;
  readonly interval: Interval;
  readonly training: PeriodFigures;
  readonly validation: PeriodFigures;
  readonly test: PeriodFigures;
  readonly robustness: readonly RobustnessCheck[];
  /** Saved in training less saved in validation: as a part, such as 0.009. */
  readonly optimism: number;
  readonly confidence: Confidence;
  /** What keeps it from being higher. */
  readonly reasons: readonly string[];
}

/** A specification that was looked at closely and is not recommended. */
export interface Rejection {
  readonly candidate: Candidate;
  readonly stage: "training" | "validation" | "robustness" | "test";
  /** Such as "breaks the objective on 2 of 5 test days". */
  readonly why: string;
  readonly figures: PeriodFigures;
}

/** A day unlike the others of its kind: a candidate for the exclusions of a schedule. */
export interface OutlyingDay {
  readonly date: string;
  /** Its mean load over that of the other days of its kind. */
  readonly ratio: number;
}

/** The result of a search. Without recommendations the answer is to keep what there is. */
export interface TuneReport {
  readonly split: TuneSplit;
  /** Specifications that were simulated. */
  readonly tried: number;
  /** Days that were simulated for them, robustness included. */
  readonly simulatedDays: number;
  /** False after an interruption: then nothing is recommended that did not pass all guards. */
  readonly isComplete: boolean;
  readonly objective: {
    /** Load of a Ready pod above which it is hot. */
    readonly hotAbove: number;
    readonly hotSecondsPerDay: number;
    readonly shortPodSecondsPerDay: number;
  };
  /** What was varied, and the values that were open. */
  readonly space: readonly {
    readonly parameter: ParameterName;
    readonly values: readonly ParameterValue[];
  }[];
  readonly today: {
    readonly candidate: Candidate;
    readonly training: PeriodFigures;
    /** Absent where the search was interrupted before. */
    readonly validation?: PeriodFigures;
    readonly test?: PeriodFigures;
  };
  /** Those that were simulated on all training days, the cheapest first. */
  readonly front: readonly FrontPoint[];
  readonly recommendations: readonly Recommendation[];
  /** The nearest to a recommendation first. */
  readonly rejected: readonly Rejection[];
  /** Of the first recommendation, or of the candidate that came nearest; absent where none was validated. */
  readonly optimism?: number;
  /** Mean load of the second half of the days over that of the first, less 1. */
  readonly trend: { readonly change: number; readonly isMoving: boolean };
  readonly outlyingDays: readonly OutlyingDay[];
  readonly control: Control;
  readonly unknowns: readonly Unknown[];
}

/** Next week's floors, and how good such floors were in the weeks before. */
export type FloorForecast =
  | { readonly ok: false; readonly message: string }
  | {
      readonly ok: true;
      readonly quantile: number;
      readonly grouping: "weekday" | "weekday-weekend";
      readonly schedules: readonly ScheduleSpec[];
      /** The floor of each half hour of the week after the recording, before slots are merged. */
      readonly slots: readonly { readonly fromMs: number; readonly replicas: number }[];
      /** Pinball loss, in pods, of weeks that were left out in turn; and of taking the week before as it was. */
      readonly loss: number;
      readonly lossOfWeekBefore: number;
    };
