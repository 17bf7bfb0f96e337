import { escapeRegex, selectorFacts } from "@plimsoll/prometheus";
import { expand, parseExpansion } from "./expand.ts";
import { compilePattern, type Pattern } from "./pattern.ts";

/** Gives a series its metric name; undefined when the pattern does not match the series. */
export type MetricName = (series: string) => string | undefined;

/** The expansion used when a rule leaves `as` out; undefined when several groups leave the choice open. */
export function defaultExpansion(groupCount: number): string | undefined {
  if (groupCount === 0) return "$0";
  return groupCount === 1 ? "$1" : undefined;
}

export function createMetricName(pattern: Pattern, as: string): MetricName {
  const parts = parseExpansion(as);
  return (series) => {
    const groups = pattern.match(series);
    return groups === undefined ? undefined : expand(parts, pattern, groups);
  };
}

/** What a rule may name, as its text says, before any series is known. */
export interface PossibleNames {
  /** The only name; undefined where there may be several, or none. */
  readonly only: string | undefined;
  /** False only where no series gives this name. */
  has(metric: string): boolean;
  /** Whether the text of the rule limits its names to nothing: any name may be one. */
  readonly isAny: boolean;
}

const arbitraryName = "an_arbitrary_name";

/** `accepts`: whether a series of that name is one of the rule's. */
export function possibleNames(
  pattern: Pattern,
  as: string,
  series: { readonly query: string; readonly accepts: (name: string) => boolean },
): PossibleNames {
  const { metricName, nameMatchers } = selectorFacts(series.query);
  const nameOf = createMetricName(pattern, as);
  const parts = parseExpansion(as);
  const only = parts.every(({ kind }) => kind === "text") ? expand(parts, pattern, []) : undefined;
  if (metricName !== undefined || only !== undefined) {
    const name =
      metricName === undefined ? only : series.accepts(metricName) ? nameOf(metricName) : undefined;
    return { only: name, has: (metric) => metric === name, isAny: false };
  }
  if (as !== "$0") {
    const form = parts.map((part) => (part.kind === "text" ? escapeRegex(part.text) : ".*")).join("");
    const possible = new RegExp(`^${form}$`, "s");
    return { only, has: (metric) => possible.test(metric), isAny: possible.test(arbitraryName) };
  }
  // The name is the whole name of the series.
  const isWhole = pattern.source === ".*" || /^\^.*\$$/.test(pattern.source);
  const isSelected = isWhole ? createNameCheck(nameMatchers) : () => true;
  const has = (metric: string): boolean =>
    nameOf(metric) === metric && isSelected(metric) && (!isWhole || series.accepts(metric));
  return { only, has, isAny: has(arbitraryName) };
}

function createNameCheck(
  matchers: ReturnType<typeof selectorFacts>["nameMatchers"],
): (name: string) => boolean {
  const checks = matchers.map(({ operator, value }) => {
    const isRegex = operator.endsWith("~");
    const wanted = !operator.startsWith("!");
    const pattern = isRegex ? compiled(`^(?:${value})$`) : undefined;
    // Prometheus refuses the rule, and says why.
    if (isRegex && pattern === undefined) return () => true;
    return (name: string) => (pattern?.test(name) ?? name === value) === wanted;
  });
  return (name) => checks.every((check) => check(name));
}

function compiled(source: string): Pattern | undefined {
  try {
    return compilePattern(source);
  } catch {
    return undefined;
  }
}
