import { lexPromql, type PromqlToken } from "./promql-lexer.ts";

/** A part of an expression: one number, or one series after the other, each with the label that matters. */
type Shape = "scalar" | "series";

/** Gives each group of series one value. topk and its kin choose among series instead and are not here. */
const AGGREGATIONS = new Set(["sum", "avg", "min", "max", "count", "group", "stddev", "stdvar", "quantile"]);

/** What works on each series by itself; any further argument is a number. */
const PER_SERIES = new Set(
  [
    "rate irate increase delta idelta deriv changes resets predict_linear holt_winters",
    "avg_over_time min_over_time max_over_time sum_over_time count_over_time last_over_time",
    "quantile_over_time stddev_over_time stdvar_over_time present_over_time mad_over_time",
    "abs ceil floor round sqrt exp ln log2 log10 sgn clamp clamp_min clamp_max deg rad timestamp",
    "histogram_quantile",
  ].flatMap((names) => names.split(" ")),
);

const OPERATORS = new Set(["+", "-", "*", "/", "%", "^", "==", "!=", ">", "<", ">=", "<="]);

class NotFilterable extends Error {}

/**
 * Whether an expression gives the same for some values of a label, be the matcher for them among its matchers or
 * its result filtered by the label afterwards. The expression contains the marker, a matcher of that label name, in
 * the place where matchers go. False for all that is not understood: joins, set operators, absent, topk,
 * label_replace and other ways for one series to count for another.
 */
export function isFilterable(promql: string, label: string, marker: string): boolean {
  const tokens = lexPromql(promql);
  if (tokens === undefined || label === "le" || label === "__name__") return false;
  try {
    const reader = createReader(tokens, { label, marker });
    return reader.expression() === "series" && reader.isAtEnd();
  } catch (error) {
    if (error instanceof NotFilterable) return false;
    throw error;
  }
}

interface Reader {
  expression(): Shape;
  isAtEnd(): boolean;
}

function createReader(
  tokens: readonly PromqlToken[],
  wanted: { readonly label: string; readonly marker: string },
): Reader {
  let next = 0;
  let depth = 0;
  const peek = (ahead = 0): string => tokens[next + ahead]?.text ?? "";
  const kind = (): PromqlToken["kind"] | undefined => tokens[next]?.kind;
  const give = (): never => {
    throw new NotFilterable();
  };
  const take = (): string => {
    if (next >= tokens.length) give();
    next += 1;
    return tokens[next - 1]?.text ?? "";
  };
  const skip = (text: string): boolean => {
    if (peek() !== text || kind() === "string") return false;
    next += 1;
    return true;
  };
  const expect = (text: string): void => {
    if (!skip(text)) give();
  };

  /** Operands joined by operators. All but one are numbers, so what binds stronger makes no difference here. */
  const expression = (): Shape => {
    depth += 1;
    if (depth > 50) give();
    let shape = operand();
    while (OPERATORS.has(peek())) {
      take();
      skip("bool");
      shape = combine(shape, operand());
    }
    depth -= 1;
    return shape;
  };

  const operand = (): Shape => {
    while (skip("-") || skip("+")) {
      // A sign changes each series by itself.
    }
    const shape = primary();
    for (;;) {
      if (kind() === "range") take();
      else if (skip("offset")) {
        skip("-");
        if (kind() !== "duration") give();
        take();
      } else if (skip("@")) {
        skip("-");
        if (kind() !== "number") give();
        take();
      } else return shape;
    }
  };

  const primary = (): Shape => {
    if (kind() === "number") {
      take();
      return "scalar";
    }
    if (skip("(")) {
      const shape = expression();
      expect(")");
      return shape;
    }
    if (peek() === "{") return selector();
    if (kind() !== "name") give();
    const name = take();
    if (AGGREGATIONS.has(name.toLowerCase()) && /^(?:\(|by|without)$/i.test(peek())) return aggregation();
    if (peek() === "{") return selector();
    if (peek() !== "(") give();
    if (name === "time" && peek(1) === ")") {
      next += 2;
      return "scalar";
    }
    return PER_SERIES.has(name) ? callArguments() : give();
  };

  const aggregation = (): Shape => {
    const before = grouping();
    const shape = callArguments();
    const after = before ? false : grouping();
    return before || after ? shape : give();
  };

  /** Whether there is a grouping here; it must keep the label. */
  const grouping = (): boolean => {
    const word = peek().toLowerCase();
    if (word !== "by" && word !== "without") return false;
    take();
    expect("(");
    const labels: string[] = [];
    while (!skip(")")) {
      if (kind() !== "name") give();
      labels.push(take());
      if (peek() !== ")") expect(",");
    }
    if (labels.includes(wanted.label) !== (word === "by")) give();
    return true;
  };

  const callArguments = (): Shape => {
    expect("(");
    let shape = expression();
    while (skip(",")) shape = combine(shape, expression());
    expect(")");
    return shape === "series" ? shape : give();
  };

  const combine = (one: Shape, other: Shape): Shape => {
    if (one === "series" && other === "series") give();
    return one === "scalar" ? other : one;
  };

  /** Only the selector with the marker counts: any other stands for series that no filter reaches. */
  const selector = (): Shape => {
    expect("{");
    let isMarked = false;
    while (!skip("}")) {
      if (kind() !== "name") give();
      isMarked = take() === wanted.marker || isMarked;
      if (!["=", "!=", "=~", "!~"].includes(take())) give();
      if (kind() !== "string") give();
      take();
      if (peek() !== "}") expect(",");
    }
    return isMarked ? "series" : give();
  };

  return { expression, isAtEnd: () => next === tokens.length };
}
