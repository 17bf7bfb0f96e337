// Runs a compiled query over samples in memory, at one instant.
import type { QueryResult } from "@plimsoll/prometheus";
import { memoized, recordOf } from "../labels.ts";
import { EvaluationError, type EvaluationReason, type Plan, type Run, type Selector } from "./plan.ts";
import type { LiveSeries, Points } from "./series.ts";

export interface Evaluation {
  /** Whole milliseconds since 1970. */
  readonly atMs: number;
  /** A value that is not newer than this is too old for an instant selector [300000]. */
  readonly lookbackMs?: number;
  /** Series that a selector matches, in an order that stays the same: sums depend on it in their last digits. */
  seriesOf(selector: Selector): readonly LiveSeries[];
  /** Rows and samples that one evaluation may read and make, all together [1000000]. */
  readonly maxRows?: number;
}

/** Prometheus' type of result, or why there is none. */
export type Evaluated =
  | ({ readonly ok: true } & QueryResult)
  | { readonly ok: false; readonly reason: EvaluationReason; readonly message: string };

const LOOKBACK_MS = 300_000;
const MAX_ROWS = 1_000_000;

const record = memoized(recordOf);

/** Never throws. The result is that of Prometheus 3.8's engine on the same samples, to the last bit. */
export function evaluate(plan: Plan, evaluation: Evaluation): Evaluated {
  const run = startRun(evaluation);
  const { atMs } = evaluation;
  try {
    const { result } = plan;
    if (result.type === "scalar") return { ok: true, type: "scalar", atMs, value: result.value(run) };
    const rows = result.type === "vector" ? result.rows(run) : [];
    const samples = rows.map(({ labels, value }) => ({ labels: record(labels), atMs, value }));
    return { ok: true, type: "vector", samples };
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    return { ok: false, reason: error.reason, message: error.message };
  }
}

const nothing = new Float64Array(0);

function startRun({ atMs, lookbackMs = LOOKBACK_MS, seriesOf, maxRows = MAX_ROWS }: Evaluation): Run {
  const points: Points = { times: nothing, values: nothing, from: 0, to: 0 };
  let spent = 0;
  return {
    atMs,
    lookbackMs,
    seriesOf,
    points,
    spend(rows) {
      spent += rows;
      if (spent > maxRows)
        throw new EvaluationError(
          "TooMuch",
          `the query reads or makes more than ${maxRows} samples: select fewer series, or a shorter range`,
        );
    },
  };
}
