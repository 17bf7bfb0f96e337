import type { Clock } from "@plimsoll/kube";
import { type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import type { CompiledRule, CompiledRules } from "../config/rules.ts";
import type { EngineTelemetry } from "../engine-telemetry.ts";
import type { Logger } from "../logger.ts";
import type { ResourceMapper } from "../naming/resource-labels.ts";
import { type DiscoverContext, discoverCustom, discoverExternal } from "./discover.ts";
import { createSeriesSource } from "./series-source.ts";
import { createSnapshot, emptySnapshot, type RegistrySnapshot, type RuleFindings } from "./snapshot.ts";

export interface RegistryOptions {
  readonly rules: CompiledRules;
  readonly prometheus: PrometheusClient;
  readonly mapper: ResourceMapper;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: EngineTelemetry;
  readonly relistIntervalMs: number;
  /** How old the last sample of a series may be for its metric to be listed. */
  readonly maxAgeMs: number;
  /** Called after each relist that was not overtaken. */
  readonly onRelisted?: (signal: AbortSignal) => Promise<void>;
}

export interface RegistryState {
  /** Whether the snapshot holds answers for at least one rule, or there are no rules to ask about. */
  readonly hasAnswers: boolean;
  /** Whether every rule has been answered or refused, so that a metric which is not there does not exist. */
  readonly isComplete: boolean;
  /** Why the last relist failed, where it did. */
  readonly problem: string | undefined;
}

/** Knows which metrics there are. Keeps what it knew of a rule for as long as asking anew fails. */
export interface Registry {
  snapshot(): RegistrySnapshot;
  state(): RegistryState;
  start(): void;
  /**
   * Lists the metrics by other rules. Until that is done those of the old ones stay; rules that find the same as
   * before keep what they found, should asking anew fail. Resolves when the new ones are in force, or have been
   * overtaken by newer ones.
   */
  use(rules: CompiledRules): Promise<void>;
  stop(): void;
}

const SHORTEST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

type Findings = ReadonlyMap<CompiledRule, RuleFindings>;

export function createRegistry(options: RegistryOptions): Registry {
  const { clock, log, telemetry } = options;
  const saidRemarks = new Set<string>();
  let rules = discoveryRules(options.rules);
  let findings: Findings = new Map();
  let refused: ReadonlySet<CompiledRule> = new Set();
  let current = emptySnapshot;
  let problem: string | undefined;
  let failures = 0;
  let cancel: (() => void) | undefined;
  let running: AbortController | undefined;

  const warnOnce = (rule: string, remark: string): void => {
    const key = `${rule}: ${remark}`;
    if (saidRemarks.has(key)) return;
    saidRemarks.add(key);
    log.warn({ rule, remark }, "a rule needs attention");
  };

  const relist = async (wanted: readonly CompiledRule[], signal: AbortSignal): Promise<void> => {
    const nowMs = clock.nowMs();
    const { prometheus, maxAgeMs, mapper } = options;
    const context = { source: createSeriesSource({ prometheus, nowMs, maxAgeMs, signal }), mapper };
    const outcomes = await Promise.allSettled(wanted.map((rule) => discoverRule(rule, context)));
    if (signal.aborted) return;
    const found = carriedOver(findings, wanted);
    const failed: FailedRule[] = [];
    for (const [at, rule] of wanted.entries()) {
      const outcome = outcomes[at];
      if (outcome?.status === "fulfilled") {
        found.set(rule, outcome.value.findings);
        for (const remark of outcome.value.remarks) warnOnce(rule.path, remark);
      } else if (outcome !== undefined) {
        failed.push({ rule, cause: outcome.reason });
      }
    }
    for (const { rule, cause } of failed)
      log.warn({ rule: rule.path, err: cause }, "discovery failed for a rule");
    problem = describe(failed);
    refused = new Set(failed.filter(({ cause }) => isRefusal(cause)).map(({ rule }) => rule));
    failures = failed.length === 0 ? 0 : failures + 1;
    publish(wanted, found);
    telemetry.relisted({ failedRules: failed.length, series: countSeries(), atMs: nowMs });
    if (failed.length === 0) void options.onRelisted?.(signal);
  };

  const publish = (wanted: readonly CompiledRule[], found: Findings): void => {
    rules = wanted;
    findings = found;
    current = createSnapshot(rules.flatMap((rule) => findings.get(rule) ?? []));
    for (const { metric, groupResource, kept, dropped } of current.collisions) {
      const of = groupResource === undefined ? metric : `${groupResource}/${metric}`;
      warnOnce(dropped.rule, `${of}: ${kept.series} of ${kept.rule} takes the place of ${dropped.series}`);
    }
  };

  const hasAnswers = (): boolean => rules.length === 0 || findings.size > 0;
  const countSeries = (): number => current.infos.length + current.externalNames.length;

  const loop = async (wanted: readonly CompiledRule[]): Promise<void> => {
    cancel?.();
    running?.abort();
    const controller = new AbortController();
    running = controller;
    try {
      await relist(wanted, controller.signal);
    } catch (error) {
      failures += 1;
      problem = messageOf(error);
      log.error({ err: error }, "relisting failed");
    }
    if (controller.signal.aborted || wanted.length === 0) return;
    cancel = clock.after(delayMs(), () => void loop(wanted));
  };

  const delayMs = (): number => {
    if (failures === 0) return options.relistIntervalMs;
    const backoffMs = Math.min(LONGEST_RETRY_MS, SHORTEST_RETRY_MS * 2 ** Math.min(failures - 1, 10));
    return Math.min(backoffMs, options.relistIntervalMs);
  };

  return {
    snapshot: () => current,
    state: () => ({
      hasAnswers: hasAnswers(),
      isComplete: hasAnswers() && rules.every((rule) => findings.has(rule) || refused.has(rule)),
      problem,
    }),
    start() {
      if (running === undefined) void loop(rules);
    },
    async use(next) {
      saidRemarks.clear();
      failures = 0;
      await loop(discoveryRules(next));
    },
    stop() {
      cancel?.();
      running?.abort();
    },
  };
}

function discoveryRules(rules: CompiledRules): readonly CompiledRule[] {
  return [...rules.custom, ...rules.external];
}

interface DiscoveredRule {
  readonly findings: RuleFindings;
  readonly remarks: readonly string[];
}

async function discoverRule(rule: CompiledRule, context: DiscoverContext): Promise<DiscoveredRule> {
  if (rule.kind === "custom") {
    const { entries, remarks } = await discoverCustom(rule, context);
    return { findings: { custom: entries, external: [] }, remarks };
  }
  const { entries, remarks } = await discoverExternal(rule, context);
  return { findings: { custom: [], external: entries }, remarks };
}

/** What is known of rules, under the rules that now stand for them. */
function carriedOver(findings: Findings, wanted: readonly CompiledRule[]): Map<CompiledRule, RuleFindings> {
  const byKey = new Map([...findings].map(([rule, found]) => [rule.discoveryKey, found]));
  const kept = new Map<CompiledRule, RuleFindings>();
  for (const rule of wanted) {
    const found = findings.get(rule) ?? byKey.get(rule.discoveryKey);
    if (found === undefined) continue;
    kept.set(rule, {
      custom: found.custom.map((entry) => ({ ...entry, rule })),
      external: found.external.map((entry) => ({ ...entry, rule })),
    });
  }
  return kept;
}

/** Whether Prometheus will not answer for the rule however often it is asked. */
function isRefusal(cause: unknown): boolean {
  return cause instanceof PrometheusError && (cause.kind === "bad_data" || cause.kind === "execution");
}

interface FailedRule {
  readonly rule: CompiledRule;
  readonly cause: unknown;
}

function describe(failed: readonly FailedRule[]): string | undefined {
  const [first] = failed;
  if (first === undefined) return undefined;
  const more = failed.length > 1 ? ` (and ${failed.length - 1} more rules)` : "";
  return `discovery failed for ${first.rule.path}${more}: ${messageOf(first.cause)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
