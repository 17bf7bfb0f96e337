// Loads what MetricRules need, the grammar of PromQL among it: only a process that serves them has it in memory.
import type { MetricRulesOptions } from "../../options/metric-rules.ts";
import type { MetricRules, MetricRulesParts } from "./metric-rules.ts";

/** Makes them of the parts of an engine. */
export type CreateMetricRules = (parts: Omit<MetricRulesParts, keyof MetricRulesOptions>) => MetricRules;

/** Undefined: they are not served. */
export async function loadMetricRules(
  options: MetricRulesOptions | undefined,
): Promise<CreateMetricRules | undefined> {
  if (options === undefined) return undefined;
  const { createMetricRules } = await import("./metric-rules.ts");
  return (parts) => createMetricRules({ ...parts, ...options });
}
