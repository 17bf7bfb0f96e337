// The metrics that rules give at one time, as the adapter lists them.
import type { CompiledRule, CompiledRules } from "../compile/compiled-rules.ts";
import type { DiscoverContext } from "../discovery/discover.ts";
import { discoverRule, noFindings } from "../discovery/discover-rule.ts";
import { createSnapshot, type RegistrySnapshot, type RuleFindings } from "../discovery/snapshot.ts";

/** Everything that rules give, and why some give nothing. */
export interface Catalog {
  readonly snapshot: RegistrySnapshot;
  /** Each rule with what it found, or why it could not be listed. */
  readonly rules: readonly ListedRule[];
}

/** One rule, listed. */
export interface ListedRule {
  readonly rule: CompiledRule;
  readonly findings: RuleFindings;
  readonly warnings: readonly string[];
  readonly problem: string | undefined;
}

/** Lists the metrics of all rules once. A rule that fails is part of the result; only the signal rejects. */
export async function listMetrics(
  rules: CompiledRules,
  context: DiscoverContext,
  signal: AbortSignal,
): Promise<Catalog> {
  const listed: ListedRule[] = [];
  for (const rule of [...rules.custom, ...rules.external]) listed.push(await listRule(rule, context, signal));
  return { rules: listed, snapshot: createSnapshot(listed.map(({ findings }) => findings)) };
}

async function listRule(
  rule: CompiledRule,
  context: DiscoverContext,
  signal: AbortSignal,
): Promise<ListedRule> {
  try {
    return { rule, ...(await discoverRule(rule, context)), problem: undefined };
  } catch (error) {
    signal.throwIfAborted();
    const problem = error instanceof Error ? error.message : String(error);
    return { rule, findings: noFindings, warnings: [], problem };
  }
}
