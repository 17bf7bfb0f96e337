// The result of a search for programs: plimsoll/tune/v1.
import type {
  Assumption,
  Confidence,
  Control,
  FloorForecast,
  Interval,
  OutlyingDay,
  ParameterChange,
  ParameterName,
  Parameters,
  ParameterValue,
  PeriodFigures,
  RobustnessCheck,
  TunePatch,
  TuneRefusal,
  TuneSplit,
  Unknown,
} from "@plimsoll/simulator";
import type { BacktestClock } from "../backtest/document.ts";

/** Fields are only added within one version of the schema. */
export interface TuneDocument {
  readonly schema: "plimsoll/tune/v1";
  /** Of this program. */
  readonly version: string;
  /** "namespace/name". */
  readonly object: string;
  readonly from: string;
  readonly to: string;
  readonly seed: number;
  /** The command line that gives this again. */
  readonly command: string;
  /** That of the end of the recording, as a file of it has it. */
  readonly recordingDigest: string;
  /** SHA-256 of the autoscaler as it is today. */
  readonly specDigest: string;
  /** How far the rules reproduce what was recorded; absent where the recording has no decision. */
  readonly openLoop?: TuneOpenLoop;
  /** Values that the result depends on, and where they are from. */
  readonly assumptions: readonly Assumption[];
  /** Why nothing was searched. */
  readonly refusal?: TuneRefusal;
  /** Absent with a refusal, and after an interruption that came too early. */
  readonly report?: TuneResult;
  /** Present with --forecast. */
  readonly forecast?: FloorForecast;
  /** Why something is missing. */
  readonly notes: readonly string[];
  /** What of the recording is wrong. */
  readonly errors: readonly string[];
}

/** The recorded inputs, decided again. */
export interface TuneOpenLoop {
  readonly steps: number;
  /** Of these, with the recorded count. */
  readonly agreed: number;
  /** 1 − wrong / wrong of "nothing changes"; absent where nothing changed. */
  readonly skill?: number;
  readonly clock: BacktestClock["state"];
}

/** One specification. */
export interface TuneCandidate {
  /** 0 is today's. */
  readonly id: number;
  readonly what: string;
  readonly changes: readonly ParameterChange[];
  readonly parameters: Parameters;
}

/** What is better, by how much, and how far to believe it. Without recommendations the answer is to keep what there is. */
export interface TuneResult {
  readonly split: TuneSplit;
  /** Specifications that were simulated. */
  readonly tried: number;
  readonly simulatedDays: number;
  /** False after an interruption: then nothing is recommended that did not pass all guards. */
  readonly isComplete: boolean;
  readonly objective: {
    /** Load of a Ready pod above which it is hot. */
    readonly hotAbove: number;
    readonly hotSecondsPerDay: number;
    readonly shortPodSecondsPerDay: number;
  };
  readonly space: readonly {
    readonly parameter: ParameterName;
    readonly values: readonly ParameterValue[];
  }[];
  readonly today: {
    readonly candidate: TuneCandidate;
    readonly training: PeriodFigures;
    readonly validation?: PeriodFigures;
    readonly test?: PeriodFigures;
  };
  /** Specifications that were simulated on all training days, the cheapest first. */
  readonly front: readonly TuneFrontPoint[];
  readonly recommendations: readonly TuneRecommendation[];
  /** The nearest to a recommendation first. */
  readonly rejected: readonly TuneRejection[];
  readonly optimism?: number;
  readonly trend: { readonly change: number; readonly isMoving: boolean };
  readonly outlyingDays: readonly OutlyingDay[];
  readonly control: Control;
  readonly unknowns: readonly Unknown[];
}

export interface TuneFrontPoint {
  readonly candidate: TuneCandidate;
  readonly training: PeriodFigures;
  /** No other costs less and is less short and less hot. */
  readonly isOnFront: boolean;
}

export interface TuneRecommendation {
  readonly candidate: TuneCandidate;
  readonly patch: TunePatch;
  /** On validation and test days together: part of today's pod-hours, such as 0.11. */
  readonly saved: number;
  /** The 90 % interval of it. */
  readonly interval: Interval;
  readonly training: PeriodFigures;
  readonly validation: PeriodFigures;
  readonly test: PeriodFigures;
  readonly robustness: readonly RobustnessCheck[];
  /** Saved in training less saved in validation. */
  readonly optimism: number;
  readonly confidence: Confidence;
  /** What keeps it from being higher. */
  readonly reasons: readonly string[];
}

export interface TuneRejection {
  readonly candidate: TuneCandidate;
  readonly stage: "training" | "validation" | "robustness" | "test";
  readonly why: string;
  readonly figures: PeriodFigures;
}
