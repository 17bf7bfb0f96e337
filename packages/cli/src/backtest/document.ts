// The result of a backtest for programs: plimsoll/backtest/v1.
import type { EventAgreement, MismatchCause } from "@plimsoll/simulator";

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
  /** Where the inputs are from. "exact": decision records. */
  readonly level: "exact";
  readonly from: string;
  readonly to: string;
  readonly openLoop: OpenLoop;
}

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
  readonly causes: Readonly<Partial<Record<MismatchCause, number>>>;
  /** The first hundred. */
  readonly mismatches: readonly BacktestMismatch[];
}

/** A decision that is not the recorded one. */
export interface BacktestMismatch {
  readonly at: string;
  readonly recorded: number;
  readonly ours: number;
  /** That input alone, changed, gives the recorded count. */
  readonly cause: MismatchCause;
  readonly evidence: string;
}
