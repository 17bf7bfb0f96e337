// What the simulated Prometheus gave to which process: where a value that an adapter serves came from.
import type { Row } from "./evaluate.ts";

/** One query of one process. */
export interface Evaluation {
  readonly process: string;
  readonly run: number;
  /** By the wall clock of the process. */
  readonly sentAtMs: number;
  readonly atMs: number;
  /** By the wall clock of Prometheus: what the samples are dated. */
  readonly datedMs: number;
  /** When the process got it; undefined while it is under way. */
  deliveredAtMs: number | undefined;
}

/** A value that a query gave for one object. */
export interface EvaluatedValue {
  readonly evaluation: Evaluation;
  readonly value: number;
}

export interface EvaluationLog {
  record(evaluation: Evaluation, rows: readonly Row[]): void;
  /** The latest values of a series, from the oldest to the newest. */
  valuesOf(identity: string): readonly EvaluatedValue[];
}

/** Longer than any request lasts, its process paused meanwhile, and whatever it gets is reused. */
const keptMs = 420_000;

export function createEvaluationLog(): EvaluationLog {
  const known = new Map<string, EvaluatedValue[]>();
  return {
    record(evaluation, rows) {
      for (const { identity, value } of rows) {
        if (identity === undefined) continue;
        const values = known.get(identity);
        if (values === undefined) {
          known.set(identity, [{ evaluation, value }]);
          continue;
        }
        while (values.length > 0 && evaluation.atMs - (values[0]?.evaluation.atMs ?? 0) > keptMs)
          values.shift();
        values.push({ evaluation, value });
      }
    },
    valuesOf: (identity) => known.get(identity) ?? [],
  };
}
