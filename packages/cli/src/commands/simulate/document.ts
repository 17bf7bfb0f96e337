// The result of a simulation for programs: plimsoll/simulate/v1.
import type { Assumption, ColumnScores, Expected, Series, StepResponse } from "@plimsoll/simulator";

/** Fields are only added within one version of the schema. */
export interface SimulateDocument {
  readonly schema: "plimsoll/simulate/v1";
  /** Of this program. */
  readonly version: string;
  readonly name: string;
  /** SHA-256 of everything but the autoscalers. */
  readonly scenarioDigest: string;
  readonly start: string;
  readonly durationSeconds: number;
  /** Of the first run; the others have the ones behind it. */
  readonly seed: number;
  /** As asked for. */
  readonly runs: number;
  /** Values that the result depends on, and where they are from. */
  readonly assumptions: readonly Assumption[];
  readonly columns: readonly SimulateColumn[];
  readonly expectations: readonly Expected[];
  /** Why something is missing. */
  readonly notes: readonly string[];
}

/** What one specification did. */
export interface SimulateColumn extends ColumnScores {
  /** SHA-256 of its autoscalers. */
  readonly specDigest: string;
  /** Of the first run, workload by workload. */
  readonly series?: readonly Series[];
  /** How the replicas followed each step of the load, of the first run, workload by workload. */
  readonly steps?: readonly (readonly StepResponse[])[];
}
