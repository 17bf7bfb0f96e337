// The figures of a query's cost, each with the part of the query that has the most of it.
import type { Span } from "../refused.ts";

/**
 * What a server spends whatever the data, by kind:
 * - `labelCopies`: the labels of a series after the query, as a multiple of the text that they had.
 * - `labelBytes`: bytes that the query itself writes into the labels of one series.
 * - `labelText`: bytes that label functions write for one series, at all steps together.
 * - `regexSize`: instructions of all regular expressions, repetitions expanded; Infinity when one is not RE2.
 * - `labelRegexWork`: instructions that regular expressions of label_replace run for one series.
 * - `matcherRegexWork`: instructions that regular expressions of matchers run for one value of a label.
 * - `valueScans`: matchers that read every value that their label has in the server, of all namespaces.
 * - `windowMs`: time of samples that functions over ranges read for one series, at all steps together.
 * - `stepsPerSecond`: of the subquery with the shortest step. VictoriaMetrics reads five minutes more than its range.
 * - `heldSteps`: samples of one series that the query holds at the same time.
 * - `joinedLabels`: labels that group_left and group_right copy, counted again in each join that their series take part in, and in each label that label functions copy them to; in a subquery for each step.
 * - `groupedK`: series that topk, bottomk or limitk reserve for each group; Infinity when no number says it.
 * - `groupedKSteps`: the same, times the steps of the subqueries around it.
 * - `countValuesSteps`: steps at which all count_values of subqueries together may make other series.
 * - `quantiles`: series that histogram_quantiles makes of one; calls within each other multiply them.
 */
export type CostKind =
  | "labelCopies"
  | "labelBytes"
  | "labelText"
  | "regexSize"
  | "labelRegexWork"
  | "matcherRegexWork"
  | "valueScans"
  | "windowMs"
  | "stepsPerSecond"
  | "heldSteps"
  | "joinedLabels"
  | "groupedK"
  | "groupedKSteps"
  | "countValuesSteps"
  | "quantiles";

export interface CostFigure {
  readonly amount: number;
  /** The part with the most, in UTF-16 code units of the query that was given. */
  readonly from: number;
  readonly to: number;
}

export type CostFigures = Readonly<Partial<Record<CostKind, CostFigure>>>;

/** Collects figures. */
export interface Figures {
  /** Of several the largest counts. */
  most(kind: CostKind, amount: number, part: Span): void;
  /** Of several the sum counts. */
  add(kind: CostKind, amount: number, part: Span): void;
  all(): CostFigures;
}

export function createFigures(): Figures {
  const figures = new Map<CostKind, CostFigure & { readonly largest: number }>();
  const record = (
    kind: CostKind,
    { amount, largest }: { amount: number; largest: number },
    part: Span,
  ): void => {
    const before = figures.get(kind);
    const place =
      before === undefined || largest > before.largest ? { from: part.from, to: part.to, largest } : before;
    figures.set(kind, { ...place, amount });
  };
  return {
    most: (kind, amount, part) =>
      record(kind, { amount: Math.max(amount, figures.get(kind)?.amount ?? 0), largest: amount }, part),
    add: (kind, amount, part) =>
      record(kind, { amount: amount + (figures.get(kind)?.amount ?? 0), largest: amount }, part),
    all: () =>
      Object.fromEntries([...figures].map(([kind, { amount, from, to }]) => [kind, { amount, from, to }])),
  };
}
