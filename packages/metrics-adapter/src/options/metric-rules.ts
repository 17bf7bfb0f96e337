// The flags of MetricRules.
import type { Flags } from "./flags.ts";

/** How MetricRules are served. */
export interface MetricRulesOptions {
  /** The label that has the namespace of a series. */
  readonly namespaceLabel: string;
  /** Rules of a namespace that are served. */
  readonly rulesPerNamespace: number;
}

/** Undefined: they are not served. */
export function metricRulesOptions(read: Flags): MetricRulesOptions | undefined {
  const namespaceLabel = read.string("metric-rule-namespace-label") ?? "";
  const rulesPerNamespace = read.integer("metric-rule-limit", { min: 1, max: 1_000 });
  if (!/^[^"\\\p{Cc}]{1,128}$/u.test(namespaceLabel) || namespaceLabel === "__name__") {
    read.problems.push(
      `invalid value ${JSON.stringify(namespaceLabel)} for --metric-rule-namespace-label: must be the name of a label of Prometheus, such as namespace`,
    );
  }
  return read.boolean("metric-rules") ? { namespaceLabel, rulesPerNamespace } : undefined;
}
