// Finds the metrics that a rule gives, whichever kind it is of.
import type { CompiledRule } from "../compile/compiled-rules.ts";
import { type DiscoverContext, discoverCustom, discoverExternal } from "./discover.ts";
import { statedSeries } from "./series-source.ts";
import type { RuleFindings } from "./snapshot.ts";

/** Of no rule, and of one that finds nothing. */
export const noFindings: RuleFindings = { custom: [], external: [] };

/** What discovery found of a rule, and what an operator should know about it. */
export interface DiscoveredRule {
  readonly findings: RuleFindings;
  readonly warnings: readonly string[];
}

/** Rejects when Prometheus or the cluster cannot be read. */
export async function discoverRule(rule: CompiledRule, given: DiscoverContext): Promise<DiscoveredRule> {
  const context = rule.live === undefined ? given : { ...given, source: statedSeries };
  if (rule.kind === "custom") {
    const { entries, warnings } = await discoverCustom(rule, context);
    return { findings: { ...noFindings, custom: entries }, warnings };
  }
  const { entries, warnings } = await discoverExternal(rule, context);
  return { findings: { ...noFindings, external: entries }, warnings };
}
