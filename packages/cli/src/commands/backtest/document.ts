// The result of a backtest for programs: plimsoll/backtest/v1.
import type {
  Control,
  EventAgreement,
  LoopFigures,
  MismatchCause,
  PeakBand,
  RecordedLevel,
  RecordingCause,
  RiskBand,
  Unknown,
} from "@plimsoll/backtest";
import type { Assumption } from "@plimsoll/simulator";

/** Fields are only added within one version of the schema. */
export interface BacktestDocument {
  readonly schema: "plimsoll/backtest/v1";
  /** Of this program. */
  readonly version: string;
  /** The worst first. */
  readonly objects: readonly BacktestReport[];
  /** Why something is missing. */
  readonly notes: readonly string[];
  /** What could not be read. */
  readonly errors: readonly string[];
}

/** One autoscaler. */
export interface BacktestReport {
  /** "namespace/name". */
  readonly object: string;
  /**
   * Where the inputs are from. "exact": decision records. Of a recording, "series": pods, counts and the values of
   * metrics; "status": the status of the autoscaler; "mixed": not the same for all metrics; "none": nothing is known.
   */
  readonly level: RecordedLevel | "mixed";
  /** Of each metric of the specification; present with a recording. */
  readonly levels?: readonly RecordedLevel[];
  readonly from: string;
  readonly to: string;
  /** How the instants of the decisions are known; present with a recording. */
  readonly clock?: BacktestClock;
  readonly openLoop: OpenLoop;
  /** The recorded specification, simulated; this and what follows are present with --what-if. */
  readonly control?: BacktestControl;
  readonly unknowns?: readonly Unknown[];
  readonly assumptions?: readonly Assumption[];
  /** None where the control run is too far from what was recorded. */
  readonly whatIfs?: readonly BacktestWhatIf[];
}

/** Figures of a run on the recorded load. */
export type BacktestScores = LoopFigures;

/** How well the simulation does what was recorded. */
export interface BacktestControl extends Control {
  /** Of the recording, without gaps. */
  readonly seconds: number;
}

/** What another specification would have done. */
export interface BacktestWhatIf {
  readonly name: string;
  readonly scores: BacktestScores;
  /** From the load as its samples have it, to the highest of twenty draws of what they average away. */
  readonly band: {
    readonly podHours: { readonly low: number; readonly high: number };
    /** Desired replicas at the highest. */
    readonly peak: PeakBand;
    readonly hotSeconds: RiskBand;
    readonly shortPodSeconds: RiskBand;
  };
  /** With more load where it is a lower bound. */
  readonly censored?: { readonly factor: number; readonly scores: BacktestScores };
  /** With the highest cpu that a pod may use without load; absent where that is known. */
  readonly atMaxIdle?: { readonly idle: number; readonly scores: BacktestScores };
}

/** The controller's instants. */
export interface BacktestClock {
  /** "unknown": four phases were replayed, and openLoop is that of the worst. "not-needed": a status has all of a decision. */
  readonly state: "known" | "recovered" | "unknown" | "not-needed";
  readonly periodMs?: number;
  /** From 0, no common period, to 1, every change at the same place of it. */
  readonly concentration?: number;
  /** Changes of the count that dated it. */
  readonly marks?: number;
  /** Why it is unknown. */
  readonly why?: string;
}

/** Of one phase where the clock is unknown. */
export interface BacktestPhase {
  readonly steps: number;
  readonly agreed: number;
  readonly skill?: number;
  readonly events: EventAgreement;
  readonly podHoursError?: number;
}

/** What of an input, changed alone, gives what was recorded. */
export type BacktestCause = MismatchCause | RecordingCause;

/** The recorded inputs, decided again with our own memory. */
export interface OpenLoop {
  readonly steps: number;
  /** Of these, with the recorded count. */
  readonly agreed: number;
  /** 1 − wrong / wrong of "nothing changes"; absent where nothing changed. */
  readonly skill?: number;
  readonly events: EventAgreement;
  /** As a fraction of the recorded; absent where there are none. */
  readonly podHoursError?: number;
  /** How many mismatches have each cause. */
  readonly causes: Readonly<Partial<Record<BacktestCause, number>>>;
  /** All, in time. */
  readonly mismatches: readonly BacktestMismatch[];
  /** Steps of which too little is known; present with a recording. */
  readonly leftOut?: number;
  /** Present where the clock is unknown. */
  readonly phases?: readonly BacktestPhase[];
}

/** A decision that is not the recorded one. */
export interface BacktestMismatch {
  readonly at: string;
  readonly recorded: number;
  readonly ours: number;
  /** That input alone, changed, gives the recorded count. */
  readonly cause: BacktestCause;
  readonly evidence: string;
}
