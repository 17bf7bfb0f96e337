// Reads the queries that the adapter's rules produce, and no others.
import type { LabelMatcher, Selector } from "./series-table.ts";

/** A query. */
export type Expression =
  | { readonly type: "selector"; readonly selector: Selector }
  | {
      readonly type: "range";
      readonly function: RangeFunction;
      readonly selector: Selector;
      readonly rangeMs: number;
    }
  | {
      readonly type: "aggregation";
      readonly operator: Aggregation;
      readonly by: readonly string[];
      readonly of: Expression;
    }
  | { readonly type: "constant"; readonly value: number };

export type RangeFunction = "rate" | "count_over_time";
export type Aggregation = "sum" | "max";

/** A query that the simulated Prometheus does not know: the simulation has to learn it. */
export class UnknownQueryError extends Error {
  override readonly name = "UnknownQueryError";
}

const token =
  /\s*(?:([a-zA-Z_:][a-zA-Z0-9_:]*)|(\d+(?:\.\d+)?[a-z]*)|("(?:[^"\\]|\\.)*")|(=~|!~|!=|[=(){}[\],]))/y;

type Kind = "word" | "number" | "string" | "sign";

interface Reader {
  readonly text: string;
  kind: Kind | undefined;
  value: string;
}

export function parseQuery(text: string): Expression {
  const tokens = createTokens(text);
  const expression = readExpression(tokens);
  if (tokens.reader.kind !== undefined) throw tokens.unknown();
  return expression;
}

export function parseSelector(text: string): Selector {
  const expression = parseQuery(text);
  if (expression.type !== "selector") throw new UnknownQueryError(`not a selector: ${text}`);
  return expression.selector;
}

interface Tokens {
  readonly reader: Reader;
  next(): void;
  is(sign: string): boolean;
  /** Takes a sign if it is the next one. */
  take(sign: string): boolean;
  expect(sign: string): void;
  word(): string;
  unknown(): UnknownQueryError;
}

function createTokens(text: string): Tokens {
  const reader: Reader = { text, kind: undefined, value: "" };
  const scanner = new RegExp(token);
  const end = text.trimEnd().length;
  const unknown = (): UnknownQueryError =>
    new UnknownQueryError(
      `the simulated Prometheus does not know at ${JSON.stringify(reader.value)}: ${text}`,
    );
  const next = (): void => {
    if (scanner.lastIndex >= end) {
      reader.kind = undefined;
      reader.value = "";
      return;
    }
    const found = scanner.exec(text);
    if (found === null) throw unknown();
    const [, word, number, string, sign] = found;
    reader.kind = word ? "word" : number ? "number" : string ? "string" : "sign";
    reader.value = word ?? number ?? string ?? sign ?? "";
  };
  const is = (sign: string): boolean => reader.kind === "sign" && reader.value === sign;
  const take = (sign: string): boolean => {
    if (!is(sign)) return false;
    next();
    return true;
  };
  next();
  return {
    reader,
    next,
    is,
    take,
    expect(sign) {
      if (!take(sign)) throw unknown();
    },
    word() {
      const { kind, value } = reader;
      if (kind !== "word") throw unknown();
      next();
      return value;
    },
    unknown,
  };
}

function readExpression(tokens: Tokens): Expression {
  if (tokens.is("{")) return { type: "selector", selector: readSelector(tokens, undefined) };
  const name = tokens.word();
  switch (name) {
    case "sum":
    case "max":
      return readAggregation(tokens, name);
    case "rate":
    case "count_over_time":
      return readRange(tokens, name);
    case "vector":
      return readConstant(tokens);
    default:
      if (tokens.is("(")) throw tokens.unknown();
      return { type: "selector", selector: readSelector(tokens, name) };
  }
}

function readAggregation(tokens: Tokens, operator: Aggregation): Expression {
  const before = readBy(tokens);
  tokens.expect("(");
  const of = readExpression(tokens);
  tokens.expect(")");
  const by = before ?? readBy(tokens) ?? [];
  return { type: "aggregation", operator, by, of };
}

function readBy(tokens: Tokens): readonly string[] | undefined {
  if (tokens.reader.kind !== "word" || tokens.reader.value !== "by") return undefined;
  tokens.next();
  tokens.expect("(");
  const labels: string[] = [];
  while (!tokens.take(")")) {
    labels.push(tokens.word());
    if (!tokens.is(")")) tokens.expect(",");
  }
  return labels;
}

function readRange(tokens: Tokens, name: RangeFunction): Expression {
  tokens.expect("(");
  const selector = readSelector(tokens, tokens.reader.kind === "word" ? tokens.word() : undefined);
  tokens.expect("[");
  const { kind, value } = tokens.reader;
  const [, number, unit] = /^(\d+)(ms|s|m|h)$/.exec(value) ?? [];
  if (kind !== "number" || number === undefined) throw tokens.unknown();
  tokens.next();
  tokens.expect("]");
  tokens.expect(")");
  return { type: "range", function: name, selector, rangeMs: Number(number) * (unitsMs[unit ?? ""] ?? 0) };
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

function readConstant(tokens: Tokens): Expression {
  tokens.expect("(");
  const value = Number(tokens.reader.value);
  if (tokens.reader.kind !== "number" || Number.isNaN(value)) throw tokens.unknown();
  tokens.next();
  tokens.expect(")");
  return { type: "constant", value };
}

function readSelector(tokens: Tokens, word: string | undefined): Selector {
  let name = word;
  const matchers: LabelMatcher[] = [];
  if (tokens.take("{")) {
    while (!tokens.take("}")) {
      const matcher = readMatcher(tokens);
      if (matcher.label === "__name__" && matcher.operator === "=") name = matcher.value;
      else if (matcher.label === "__name__") throw tokens.unknown();
      else matchers.push(matcher);
      if (!tokens.is("}")) tokens.expect(",");
    }
  }
  if (name === undefined) throw tokens.unknown();
  return { name, matchers };
}

function readMatcher(tokens: Tokens): LabelMatcher {
  const label = tokens.word();
  const operator = tokens.reader.value;
  if (operator !== "=" && operator !== "!=" && operator !== "=~" && operator !== "!~") throw tokens.unknown();
  tokens.next();
  if (tokens.reader.kind !== "string") throw tokens.unknown();
  // The adapter escapes as JSON does wherever a label of Kubernetes needs it.
  const value = JSON.parse(tokens.reader.value) as string;
  tokens.next();
  return { label, operator, value, test: createTest(operator, value) };
}

function createTest(operator: LabelMatcher["operator"], value: string): (value: string) => boolean {
  if (operator === "=") return (given) => given === value;
  if (operator === "!=") return (given) => given !== value;
  const test = createPattern(value);
  return operator === "=~" ? test : (given) => !test(given);
}

/** Mostly a list of names. */
function createPattern(pattern: string): (value: string) => boolean {
  const names = pattern.split("|").map((name) => name.replaceAll(/\\([.\\])/g, "$1"));
  if (/^(?:[\w|-]|\\\.)*$/.test(pattern)) {
    const set = new Set(names);
    return (value) => set.has(value);
  }
  const compiled = new RegExp(`^(?:${pattern})$`, "s");
  return (value) => compiled.test(value);
}
