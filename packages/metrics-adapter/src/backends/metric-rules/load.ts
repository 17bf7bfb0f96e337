// Loads what MetricRules need, the grammar of PromQL among it: only a process that serves them has it in memory.
import type { MetricRulesOptions } from "../../options/metric-rules.ts";
import type { LiveSettings } from "../live/live.ts";
import type { MetricRules, MetricRulesParts } from "./metric-rules.ts";

/** Makes them of the parts of an engine. */
export type CreateMetricRules = (
  parts: Omit<MetricRulesParts, keyof MetricRulesOptions | "live">,
) => MetricRules;

/** Undefined: they are not served. @param live absent: no pod is scraped */
export async function loadMetricRules(
  options: MetricRulesOptions | undefined,
  live?: Omit<LiveSettings, "namespaceLabel">,
): Promise<CreateMetricRules | undefined> {
  if (options === undefined) return undefined;
  const { createMetricRules } = await import("./metric-rules.ts");
  if (live === undefined) return (parts) => createMetricRules({ ...parts, ...options });
  const { createLive } = await import("../live/live.ts");
  return (parts) =>
    createMetricRules({ ...parts, ...options, live: createLive({ ...live, ...options }, parts) });
}
