// The result of a search for programs: plimsoll/tune/v1.
import type {
  FloorForecast,
  FrontPoint,
  ParameterChange,
  Parameters,
  Recommendation,
  Rejection,
  TuneRefusal,
  TuneReport,
} from "@plimsoll/backtest";
import type { Assumption } from "@plimsoll/simulator";
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
export interface TuneResult extends Omit<TuneReport, "today" | "front" | "recommendations" | "rejected"> {
  readonly today: TuneToday;
  /** Specifications that were simulated on all training days, the cheapest first. */
  readonly front: readonly TuneFrontPoint[];
  readonly recommendations: readonly TuneRecommendation[];
  /** The nearest to a recommendation first. */
  readonly rejected: readonly TuneRejection[];
}

export interface TuneToday extends Omit<TuneReport["today"], "candidate"> {
  readonly candidate: TuneCandidate;
}

export interface TuneFrontPoint extends Omit<FrontPoint, "candidate"> {
  readonly candidate: TuneCandidate;
}

export interface TuneRecommendation extends Omit<Recommendation, "candidate"> {
  readonly candidate: TuneCandidate;
}

export interface TuneRejection extends Omit<Rejection, "candidate"> {
  readonly candidate: TuneCandidate;
}
