// What steps do with rows: new values, names dropped, and the check that labels are unique.
import { type LabelSet, textOf, withoutName } from "../labels.ts";
import { EvaluationError, type Row, type Run } from "./plan.ts";

/** A function of one value for each row, whose results are no longer the metric that they were. */
export function renamed(compute: (value: number) => number): (run: Run, rows: readonly Row[]) => Row[] {
  return (run, rows) =>
    checked(
      run,
      rows.map(({ labels, value }) => ({ labels: withoutName(labels), value: compute(value) })),
    );
}

/** The rows, counted. @throws EvaluationError when two have the same labels */
export function checked<T extends Row>(run: Run, rows: T[]): T[] {
  run.spend(rows.length);
  const seen = new Set<string>();
  for (const { labels } of rows) {
    if (seen.size === seen.add(labels.key).size) throw duplicate(labels);
  }
  return rows;
}

function duplicate(labels: LabelSet): EvaluationError {
  return new EvaluationError(
    "Duplicate",
    `two series of the result have the same labels ${textOf(labels)}: aggregate them, or keep a label in which they differ`,
  );
}
