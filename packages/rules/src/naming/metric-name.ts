import { expand, parseExpansion } from "./expand.ts";
import type { Pattern } from "./pattern.ts";

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
