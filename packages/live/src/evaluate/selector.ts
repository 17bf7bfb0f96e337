// Compiles selectors: their matchers and their range.
import {
  durationOf,
  matchersOf,
  partsOf,
  Refused,
  readNumberLiteral,
  readRegex,
  type SyntaxNode,
  shown,
  stringOf,
} from "@plimsoll/prometheus/tree";
import { RE2Set } from "re2js";
import { nameLabel, valueOf } from "../labels.ts";
import type { Selector, Work } from "./plan.ts";
import { invalid, unsupported } from "./refuse.ts";

interface Test {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
  matches(value: string, work?: Work): boolean;
}

/** @throws Refused */
export function compileSelector(
  query: string,
  node: SyntaxNode,
  { index, rangeMs }: Pick<Selector, "index" | "rangeMs">,
): Selector {
  const tests = [...namesOf(query, node), ...matchersOf(query, node)].map(
    ({ label, operator, value }): Test => ({
      label,
      operator,
      value,
      matches: testOf(query, node, { operator, value }),
    }),
  );
  if (tests.every(({ matches }) => matches("")))
    throw invalid(query, node, "selects all series: add the name of a metric or a matcher");
  const ofName = tests.filter(({ label }) => label === nameLabel);
  return {
    index,
    text: query.slice(node.from, node.to),
    name: ofName.find(({ operator }) => operator === "=")?.value,
    rangeMs,
    matchesName: (name) => ofName.every(({ matches }) => matches(name)),
    matches: (labels, work) => tests.every(({ label, matches }) => matches(valueOf(labels, label), work)),
  };
}

/** The names before the braces and in quotes within them, as matchers. */
function namesOf(query: string, node: SyntaxNode): readonly Omit<Test, "matches">[] {
  const outside = node.getChild("Identifier");
  const quoted = node.getChild("LabelMatchers")?.getChildren("QuotedLabelName") ?? [];
  const names = [
    ...(outside === null ? [] : [query.slice(outside.from, outside.to)]),
    ...quoted.map((one) => stringOf(query, one)),
  ];
  const isNamedTwice =
    names.length > 1 ||
    (names.length === 1 && matchersOf(query, node).some(({ label }) => label === nameLabel));
  if (isNamedTwice) throw invalid(query, node, "the name of the metric is set twice");
  return names.map((value) => ({ label: nameLabel, operator: "=", value }));
}

/** Instructions of Go's program; `.*` has about ten. */
const MAX_REGEX_SIZE = 1_000;
/** Of the states of one expression. Without a limit, a few expressions would take gigabytes. */
const MAX_REGEX_BYTES = 65_536;

function testOf(
  query: string,
  node: SyntaxNode,
  { operator, value }: Pick<Test, "operator" | "value">,
): Test["matches"] {
  if (operator === "=") return (text) => text === value;
  if (operator === "!=") return (text) => text !== value;
  const { size, loose } = readRegex(value) ?? { size: Number.NaN, loose: 0 };
  if (size > MAX_REGEX_SIZE)
    throw new Refused("TooLarge", `${shown(query, node)}: the regular expression is too large`, node);
  try {
    const regex = new RE2Set(RE2Set.ANCHOR_BOTH, 0, MAX_REGEX_BYTES);
    regex.add(`(?s:${value})`);
    regex.compile();
    const isWanted = operator === "=~";
    if (!Number.isNaN(size))
      return (text, work = { left: Infinity }) => {
        work.left -= text.length * (1 + loose);
        return work.left >= 0 && regex.match(text).length > 0 === isWanted;
      };
  } catch {
    // Said below.
  }
  throw invalid(query, node, `${JSON.stringify(value)} is not a valid RE2 regular expression`);
}

/** The selector and the length of a range, as in `x[5s]`. @throws Refused */
export function rangeOf(query: string, node: SyntaxNode): { selector: SyntaxNode; rangeMs: number } {
  const [selector, range] = partsOf(node);
  if (selector?.name !== "VectorSelector" || range === undefined)
    throw invalid(query, node, "a range belongs right after a selector");
  const rangeMs = durationOf(query, range);
  const { value = Number.NaN } = readNumberLiteral(query.slice(range.from, range.to)) ?? {};
  if (Math.round(value * 1e9) !== rangeMs * 1e6)
    throw unsupported(`the range ${shown(query, range)}, which is not in whole milliseconds,`, range);
  return { selector, rangeMs };
}
