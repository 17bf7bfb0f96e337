// Evaluates queries as Prometheus does.
import {
  type Aggregation,
  type Expression,
  type Selector,
  UnknownQueryError,
} from "@plimsoll/prometheus/testing";
import { overWindow } from "@plimsoll/simulator";
import type { Series } from "./series.ts";

/** One sample of a result. */
export interface Row {
  /** Its labels as a JSON object. */
  readonly metric: string;
  readonly value: number;
  /** Whose value it is; undefined where it is of more than one, or of none. */
  readonly identity: string | undefined;
}

export interface EvaluationSeams {
  readonly select: (selector: Selector) => readonly Series[];
  readonly atMs: number;
}

/** @throws UnknownQueryError */
export function evaluate(expression: Expression, seams: EvaluationSeams): readonly Row[] {
  switch (expression.type) {
    case "constant":
      return [{ metric: "{}", value: expression.value, identity: undefined }];
    case "aggregation":
      return aggregate(values(expression.of, seams), expression.operator, expression.by);
    case "selector":
    case "range":
      throw new UnknownQueryError("the simulated Prometheus aggregates every query");
  }
}

interface Value {
  readonly series: Series;
  readonly value: number;
}

function values(expression: Expression, { select, atMs }: EvaluationSeams): readonly Value[] {
  if (expression.type !== "selector" && expression.type !== "range")
    throw new UnknownQueryError("the simulated Prometheus aggregates series only");
  const found: Value[] = [];
  for (const series of select(expression.selector)) {
    const value = expression.type === "selector" ? series.valueAt(atMs) : ofRange(expression, series, atMs);
    if (value !== undefined) found.push({ series, value });
  }
  return found;
}

/** Undefined where Prometheus has no value, which differs from NaN. */
function ofRange(
  { function: name, rangeMs }: Extract<Expression, { readonly type: "range" }>,
  series: Series,
  atMs: number,
): number | undefined {
  if (series.lastMs <= atMs - rangeMs) return undefined;
  const window = series.window(atMs - rangeMs, atMs);
  return window.count < (name === "rate" ? 2 : 1) ? undefined : overWindow(name, window, "3");
}

interface Group {
  readonly metric: string;
  value: number;
  identity: string | undefined;
}

function aggregate(all: readonly Value[], operator: Aggregation, by: readonly string[]): readonly Row[] {
  const groups = new Map<string, Group>();
  const key = by.join(",");
  for (const { series, value } of all) {
    const metric = groupOf(series, by, key);
    const group = groups.get(metric);
    if (group === undefined) groups.set(metric, { metric, value, identity: series.identity });
    else {
      group.value = operator === "sum" ? group.value + value : Math.max(group.value, value);
      if (group.identity !== series.identity) group.identity = undefined;
    }
  }
  return [...groups.values()];
}

function groupOf(series: Series, by: readonly string[], key: string): string {
  const known = series.groups.get(key);
  if (known !== undefined) return known;
  const labels = by.flatMap((label) => {
    const value = series.labels[label];
    return value === undefined ? [] : [[label, value] as const];
  });
  const metric = JSON.stringify(Object.fromEntries(labels));
  series.groups.set(key, metric);
  return metric;
}
