// Finds and removes the matcher of one label and one value in the selectors of a query.
import { parser } from "@prometheus-io/lezer-promql";

type SyntaxNode = ReturnType<typeof parser.parse>["topNode"];

/**
 * The query without `label="value"`, for one that gets this matcher by itself; other matchers of the label stay. The query is one
 * that `promqlProblem` takes; the value has nothing that is escaped in a string.
 */
export function withoutMatcher(query: string, { label, value }: MatcherText): string {
  const parts: string[] = [];
  let end = 0;
  parser.parse(query).iterate({
    enter(node) {
      if (node.name !== "LabelMatchers") return true;
      const kept = matchersIn(node.node).map((one) => query.slice(one.from, one.to));
      const others = kept.filter((text) => !isMatcher(text, { label, value }));
      if (others.length < kept.length) {
        const isNamed = node.node.parent?.getChild("Identifier") != null;
        const rest = others.length === 0 && isNamed ? "" : `{${others.join(", ")}}`;
        parts.push(query.slice(end, node.from), rest);
        end = node.to;
      }
      return false;
    },
  });
  return [...parts, query.slice(end)].join("");
}

/** The first selector of a query without the matcher `label="value"`; undefined when each of them has it. */
export function selectorWithout(query: string, matcher: MatcherText): string | undefined {
  let found: string | undefined;
  parser.parse(query).iterate({
    enter(node) {
      if (node.name !== "VectorSelector") return found === undefined;
      const braces = node.node.getChild("LabelMatchers");
      const texts = braces === null ? [] : matchersIn(braces).map((one) => query.slice(one.from, one.to));
      if (!texts.some((text) => isMatcher(text, matcher))) found ??= query.slice(node.from, node.to);
      return false;
    },
  });
  return found;
}

/** A label, and the value that it equals. */
export interface MatcherText {
  readonly label: string;
  readonly value: string;
}

const kinds: ReadonlySet<string> = new Set(["UnquotedLabelMatcher", "QuotedLabelMatcher", "QuotedLabelName"]);

function matchersIn(braces: SyntaxNode): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let node = braces.firstChild; node !== null; node = node.nextSibling)
    if (kinds.has(node.name)) found.push(node);
  return found;
}

function isMatcher(text: string, { label, value }: MatcherText): boolean {
  const [, name = "", quoted = ""] = /^\s*([^\s=!~]+)\s*=\s*([^~].*?)\s*$/s.exec(text) ?? [];
  const isLabel = name === label || name === JSON.stringify(label) || name === `'${label}'`;
  return isLabel && [`"${value}"`, `'${value}'`, `\`${value}\``].includes(quoted);
}
