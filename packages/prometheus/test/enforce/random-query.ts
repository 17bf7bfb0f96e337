// Makes random queries, with what they must become.
import * as fc from "fast-check";

/** A query in one of many spellings, and its canonical form with the matcher. */
export interface MadeQuery {
  readonly query: string;
  readonly expected: string;
  readonly selectors: number;
}

const blank = fc.constantFrom("", " ", "\n", "\t", "\r\n", " # or }{ \"'`\n");
const space = fc.constantFrom(" ", "\n ", " # x\n");
const word = fc.constantFrom("a", "b_c", "x:y", "sum", "by", "start", "rate", "_", "namespace");
const label = fc.constantFrom("pod", "on", "le", "namespac", "Namespace", "inf");
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }).filter((value) => !value.includes("\ufffd")),
  fc.constantFrom("} or b{", "\\", "`", '"', "'", "#", "\r", '",namespace="x'),
);
const operator = fc.constantFrom("=", "!=", "=~", "!~");

/** A string in one of the three kinds of quotes, as the server will get it. */
const literal = fc.tuple(text, fc.constantFrom('"', "'", "`")).map(([value, quote]) => {
  const expected = JSON.stringify(value)
    .replaceAll(/\\u00([01][0-9a-f])/g, "\\x$1")
    .replaceAll("\\b", "\\x08")
    .replaceAll("\\f", "\\x0c")
    .replaceAll("\x7f", "\\x7f");
  if (quote === "`" && !value.includes("`")) return { query: `\`${value}\``, expected };
  if (quote !== "'") return { query: escaped(value, '"'), expected };
  return { query: escaped(value, "'"), expected };
});

function escaped(value: string, quote: string): string {
  const codes = Array.from(value, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return /[\w ]/.test(char) ? char : `\\U${code.toString(16).padStart(8, "0")}`;
  });
  return `${quote}${codes.join("")}${quote}`;
}

const matcher = fc.tuple(label, operator, literal).map(([name, sign, value]) => ({
  query: `${name}${sign}${value.query}`,
  expected: `${name}${sign}${value.expected}`,
}));

const selector: fc.Arbitrary<MadeQuery> = fc
  .tuple(word, fc.option(fc.array(matcher, { maxLength: 3 }), { nil: undefined }), fc.boolean())
  .map(([name, matchers, isTrailing]) => {
    const own = 'namespace="shop"';
    if (matchers === undefined) return { query: name, expected: `${name}{${own}}`, selectors: 1 };
    const trailing = isTrailing && matchers.length > 0 ? "," : "";
    return {
      query: `${name}{${matchers.map(({ query }) => query).join(",")}${trailing}}`,
      expected: `${name}{${[...matchers.map(({ expected }) => expected), own].join(",")}}`,
      selectors: 1,
    };
  });

const suffix = fc.constantFrom("", "", " offset 5m", " @ 5", " @ end() offset -1h");
const range = fc.constantFrom("[5m]", "[1h:]", "[1h:5m]", "[300]");

/** Queries of a few levels. */
export const madeQuery: fc.Arbitrary<MadeQuery> = fc.letrec<{ query: MadeQuery }>((tie) => ({
  query: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    selector,
    fc.tuple(selector, suffix).map(([inner, tail]) => around("", inner, tail)),
    fc.tuple(selector, range, suffix).map(([inner, over, tail]) => around("rate(", inner, `${over}${tail})`)),
    tie("query").map((inner) => around("(", inner, ")")),
    tie("query").map((inner) => around("-", inner, "")),
    tie("query").map((inner) => around("sum by (pod) (", inner, ")")),
    tie("query").map((inner) => around("max_over_time((", inner, ")[1h:1m])")),
    fc
      .tuple(
        tie("query"),
        fc.constantFrom(
          "+",
          "^",
          "or",
          "== bool",
          "/ on (pod) group_left (le)",
          "^ on () group_left ()",
          "- ignoring (pod,le) group_right (le)",
        ),
        tie("query"),
      )
      .map(([left, sign, right]) => joined(left, sign, right)),
    fc.tuple(tie("query"), blank, space).map(([inner, before, behind]) => ({
      ...inner,
      query: `(${before}${inner.query}${behind})`,
      expected: `(${before === "" ? "" : " "}${inner.expected} )`,
    })),
  ),
})).query;

function around(before: string, inner: MadeQuery, behind: string): MadeQuery {
  return {
    ...inner,
    query: `${before}${inner.query}${behind}`,
    expected: `${before}${inner.expected}${behind}`,
  };
}

function joined(left: MadeQuery, sign: string, right: MadeQuery): MadeQuery {
  return {
    query: `${left.query} ${sign} ${right.query}`,
    expected: `${left.expected} ${sign} ${right.expected}`,
    selectors: left.selectors + right.selectors,
  };
}
