// Decides whether one query can serve several values of a label.
import { lexPromql, type PromqlToken } from "./promql-lexer.ts";

/** A part of an expression: one number, or series of which each has the label. */
type Shape = "scalar" | "series";

/** They give each group of series one value. topk and the like choose among series and are not listed. */
const AGGREGATIONS = new Set(["sum", "avg", "min", "max", "count", "group", "stddev", "stdvar", "quantile"]);

/** They work on each series by itself; any further argument is a number. */
const PER_SERIES = new Set(
  [
    "rate irate increase delta idelta deriv changes resets predict_linear holt_winters",
    "avg_over_time min_over_time max_over_time sum_over_time count_over_time last_over_time",
    "quantile_over_time stddev_over_time stdvar_over_time present_over_time mad_over_time",
    "abs ceil floor round sqrt exp ln log2 log10 sgn clamp clamp_min clamp_max deg rad timestamp",
    "histogram_quantile",
  ].flatMap((names) => names.split(" ")),
);

const MATCH_OPERATORS = new Set(["=", "!=", "=~", "!~"]);
const OPERATORS = new Set(["+", "-", "*", "/", "%", "^", "==", "!=", ">", "<", ">=", "<="]);

class NotFilterable extends Error {}

/**
 * Whether a matcher of a label gives the same result inside the expression as a filter of the result by that label.
 * The expression contains the marker, a matcher of that label name, in the place of the matchers. False for all that
 * is not understood: joins, set operators, absent, topk, label_replace and other ways in which one series affects
 * another.
 */
export function isFilterable(promql: string, label: string, marker: string): boolean {
  const tokens = lexPromql(promql);
  if (tokens === undefined || label === "le" || label === "__name__") return false;
  try {
    const reader: Reader = { tokens, label, marker, next: 0, depth: 0 };
    return expression(reader) === "series" && reader.next === tokens.length;
  } catch (error) {
    if (error instanceof NotFilterable) return false;
    throw error;
  }
}

interface Reader {
  readonly tokens: readonly PromqlToken[];
  readonly label: string;
  readonly marker: string;
  /** Index of the next token. */
  next: number;
  depth: number;
}

const MAX_DEPTH = 50;

function peek(reader: Reader, ahead = 0): string {
  return reader.tokens[reader.next + ahead]?.text ?? "";
}

function kind(reader: Reader): PromqlToken["kind"] | undefined {
  return reader.tokens[reader.next]?.kind;
}

function refuse(): never {
  throw new NotFilterable();
}

function take(reader: Reader): string {
  const token = reader.tokens[reader.next] ?? refuse();
  reader.next += 1;
  return token.text;
}

function takeKind(reader: Reader, wanted: PromqlToken["kind"]): string {
  return kind(reader) === wanted ? take(reader) : refuse();
}

/** A label or a name, which may be in quotes; one with an escape is not compared. */
function takeLabel(reader: Reader): string {
  if (kind(reader) !== "string") return takeKind(reader, "name");
  const text = take(reader);
  return text.includes("\\") ? refuse() : text.slice(1, -1);
}

function skip(reader: Reader, text: string): boolean {
  if (peek(reader) !== text || kind(reader) === "string") return false;
  reader.next += 1;
  return true;
}

function expect(reader: Reader, text: string): void {
  if (!skip(reader, text)) refuse();
}

/** Operands joined by operators. All but one are numbers, so precedence makes no difference here. */
function expression(reader: Reader): Shape {
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) refuse();
  let shape = operand(reader);
  while (OPERATORS.has(peek(reader))) {
    take(reader);
    skip(reader, "bool");
    shape = combine(shape, operand(reader));
  }
  reader.depth -= 1;
  return shape;
}

function operand(reader: Reader): Shape {
  while (skip(reader, "-") || skip(reader, "+")) {
    // A sign changes each series by itself.
  }
  const shape = primary(reader);
  for (;;) {
    if (kind(reader) === "range") take(reader);
    else if (skip(reader, "offset")) {
      skip(reader, "-");
      takeKind(reader, "duration");
    } else if (skip(reader, "@")) {
      skip(reader, "-");
      takeKind(reader, "number");
    } else return shape;
  }
}

function primary(reader: Reader): Shape {
  if (kind(reader) === "number") {
    take(reader);
    return "scalar";
  }
  if (skip(reader, "(")) {
    const shape = expression(reader);
    expect(reader, ")");
    return shape;
  }
  if (peek(reader) === "{") return selector(reader, false);
  return named(reader, takeKind(reader, "name"));
}

/** What begins with a name: an aggregation, a selector or a call. */
function named(reader: Reader, name: string): Shape {
  const isAggregation = AGGREGATIONS.has(name.toLowerCase()) && /^(?:\(|by|without)$/i.test(peek(reader));
  if (isAggregation) return aggregation(reader);
  if (peek(reader) === "{") return selector(reader, true);
  if (peek(reader) !== "(") refuse();
  if (name === "time" && peek(reader, 1) === ")") {
    reader.next += 2;
    return "scalar";
  }
  return PER_SERIES.has(name) ? callArguments(reader) : refuse();
}

function aggregation(reader: Reader): Shape {
  const before = grouping(reader);
  const shape = callArguments(reader);
  const after = before ? false : grouping(reader);
  return before || after ? shape : refuse();
}

/** Whether there is a grouping here; it must keep the label. */
function grouping(reader: Reader): boolean {
  const word = peek(reader).toLowerCase();
  if (word !== "by" && word !== "without") return false;
  take(reader);
  expect(reader, "(");
  const labels: string[] = [];
  while (!skip(reader, ")")) {
    labels.push(takeLabel(reader));
    if (peek(reader) !== ")") expect(reader, ",");
  }
  if (labels.includes(reader.label) !== (word === "by")) refuse();
  return true;
}

function callArguments(reader: Reader): Shape {
  expect(reader, "(");
  let shape = expression(reader);
  while (skip(reader, ",")) shape = combine(shape, expression(reader));
  expect(reader, ")");
  return shape === "series" ? shape : refuse();
}

function combine(one: Shape, other: Shape): Shape {
  if (one === "series" && other === "series") refuse();
  return one === "scalar" ? other : one;
}

/** Only the selector with the marker counts: any other selects series that no filter reaches. */
function selector(reader: Reader, isNamed: boolean): Shape {
  expect(reader, "{");
  let isMarked = false;
  while (!skip(reader, "}")) {
    const isName = !isNamed && kind(reader) === "string" && /^[,}]$/.test(peek(reader, 1));
    isMarked = takeLabel(reader) === reader.marker || isMarked;
    if (!isName) {
      if (!MATCH_OPERATORS.has(take(reader))) refuse();
      takeKind(reader, "string");
    }
    if (peek(reader) !== "}") expect(reader, ",");
  }
  return isMarked ? "series" : refuse();
}
