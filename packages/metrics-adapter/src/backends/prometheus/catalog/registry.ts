// The catalog of metrics: relists the series of all rules and keeps the last snapshot.
import {
  backoffMs,
  type CacheMeter,
  type Clock,
  createBoundedCache,
  type Logger,
  messageOf,
} from "@plimsoll/component-base";
import { type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import {
  type CompiledRule,
  type CompiledRules,
  createSeriesSource,
  createSnapshot,
  type DiscoverContext,
  discoverCustom,
  discoverExternal,
  emptySnapshot,
  type RegistrySnapshot,
  type ResourceMapper,
  type RuleFindings,
} from "@plimsoll/rules";
import type { EngineTelemetry } from "../../../telemetry/prometheus.ts";

export interface RegistryOptions {
  readonly rules: CompiledRules;
  readonly prometheus: PrometheusClient;
  readonly mapper: ResourceMapper;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: EngineTelemetry;
  readonly meter?: CacheMeter | undefined;
  readonly relistIntervalMs: number;
  /** How old the last sample of a series may be for its metric to be listed. */
  readonly maxAgeMs: number;
  /** Called after each relist that was not overtaken. */
  readonly onRelisted?: (signal: AbortSignal) => Promise<void>;
  /** Called when the snapshot has changed. */
  readonly onPublished?: () => void;
  /** What is known of the rules already, from another registry. */
  readonly known?: Findings | undefined;
}

export interface RegistryState {
  /** Whether the snapshot has results for at least one rule, or there are no rules. */
  readonly hasResults: boolean;
  /** Whether every rule has been listed or refused, so that a metric which is missing does not exist. */
  readonly isComplete: boolean;
  /** Why the last relist failed, where it did. */
  readonly problem: string | undefined;
}

/** Knows which metrics exist. Keeps what it knew of a rule for as long as discovery fails. */
export interface Registry {
  /** What is known of each rule. */
  findings(): ReadonlyMap<CompiledRule, RuleFindings>;
  snapshot(): RegistrySnapshot;
  state(): RegistryState;
  start(): void;
  /**
   * Lists the metrics by other rules. Until that is done those of the old ones stay; rules that find the same as
   * before keep what they found, should discovery fail. Resolves when the new ones are in force, or have been
   * overtaken by newer ones.
   */
  use(rules: CompiledRules): Promise<void>;
  stop(): void;
}

const RETRY = { baseMs: 1_000, maxMs: 30_000 };

export type Findings = ReadonlyMap<CompiledRule, RuleFindings>;

/** What is known of the rules, and how the last relist went. */
interface State {
  rules: readonly CompiledRule[];
  findings: Findings;
  refused: ReadonlySet<CompiledRule>;
  snapshot: RegistrySnapshot;
  problem: string | undefined;
  failures: number;
  warnings: RuleWarnings;
}

export function createRegistry(options: RegistryOptions): Registry {
  const { clock, log } = options;
  const state: State = {
    rules: discoveryRules(options.rules),
    findings: options.known ?? new Map(),
    refused: new Set(),
    snapshot: emptySnapshot,
    problem: undefined,
    failures: 0,
    warnings: createWarnings(options),
  };
  let cancel: (() => void) | undefined;
  let running: AbortController | undefined;

  const loop = async (wanted: readonly CompiledRule[]): Promise<void> => {
    cancel?.();
    running?.abort();
    const controller = new AbortController();
    running = controller;
    try {
      await relist(options, state, { wanted, signal: controller.signal });
    } catch (error) {
      state.failures += 1;
      state.problem = messageOf(error);
      log.error({ err: error }, "relisting failed");
    }
    if (controller.signal.aborted || wanted.length === 0) return;
    cancel = clock.after(delayMs(options, state), () => void loop(wanted));
  };

  const hasResults = (): boolean => state.rules.length === 0 || state.findings.size > 0;

  return {
    findings: () => state.findings,
    snapshot: () => state.snapshot,
    state: () => ({
      hasResults: hasResults(),
      isComplete:
        hasResults() && state.rules.every((rule) => state.findings.has(rule) || state.refused.has(rule)),
      problem: state.problem,
    }),
    start() {
      if (running === undefined) void loop(state.rules);
    },
    async use(next) {
      state.warnings = createWarnings(options);
      state.failures = 0;
      await loop(discoveryRules(next));
    },
    stop() {
      cancel?.();
      running?.abort();
    },
  };
}

function delayMs({ relistIntervalMs }: RegistryOptions, { failures }: State): number {
  if (failures === 0) return relistIntervalMs;
  return Math.min(backoffMs(failures - 1, RETRY), relistIntervalMs);
}

interface Relist {
  readonly wanted: readonly CompiledRule[];
  readonly signal: AbortSignal;
}

/** Lists the metrics of all rules; a rule that fails keeps what was known of it. */
async function relist(options: RegistryOptions, state: State, { wanted, signal }: Relist): Promise<void> {
  const { clock, log, prometheus, maxAgeMs, mapper } = options;
  const nowMs = clock.nowMs();
  const context = { source: createSeriesSource({ prometheus, nowMs, maxAgeMs, signal }), mapper };
  const outcomes = await Promise.allSettled(wanted.map((rule) => discoverRule(rule, context)));
  if (signal.aborted) return;
  const found = carriedOver(state.findings, wanted);
  const failed: FailedRule[] = [];
  for (const [at, rule] of wanted.entries()) {
    const outcome = outcomes[at];
    if (outcome?.status === "fulfilled") {
      found.set(rule, outcome.value.findings);
      for (const warning of outcome.value.warnings) state.warnings.log(rule.path, warning);
    } else if (outcome !== undefined) {
      failed.push({ rule, cause: outcome.reason });
    }
  }
  for (const { rule, cause } of failed)
    log.warn({ rule: rule.path, err: cause }, "discovery failed for a rule");
  state.problem = describe(failed);
  state.refused = new Set(failed.filter(({ cause }) => isRefusal(cause)).map(({ rule }) => rule));
  state.failures = failed.length === 0 ? 0 : state.failures + 1;
  publish(state, wanted, found);
  options.onPublished?.();
  const series = state.snapshot.infos.length + state.snapshot.externalNames.length;
  options.telemetry.relisted({ failedRules: failed.length, series, atMs: nowMs });
  if (failed.length === 0) void options.onRelisted?.(signal);
}

function publish(state: State, wanted: readonly CompiledRule[], found: Findings): void {
  state.rules = wanted;
  state.findings = found;
  state.snapshot = createSnapshot(wanted.flatMap((rule) => found.get(rule) ?? []));
  for (const { metric, groupResource, kept, dropped } of state.snapshot.collisions) {
    const of = groupResource === undefined ? metric : `${groupResource}/${metric}`;
    const warning = `${of}: ${kept.series} of ${kept.rule} takes the place of ${dropped.series}`;
    state.warnings.log(dropped.rule, warning);
  }
}

/** Warnings about rules, each logged once. */
interface RuleWarnings {
  log(rule: string, warning: string): void;
}

/** Warnings name series, and of those there may be others at each relist: the cache bounds them. */
function createWarnings({ log, meter }: RegistryOptions): RuleWarnings {
  const logged = createBoundedCache<true>({
    name: "rule_warnings",
    meter,
    maxBytes: 4 * 1024 * 1024,
    maxKeyLength: 4_096,
    ttlMs: 7 * 24 * 3_600_000,
  });
  return {
    log(rule, warning) {
      const key = `${rule}: ${warning}`;
      if (logged.get(key) === true) return;
      logged.set(key, true);
      log.warn({ rule, warning }, "a rule needs attention");
    },
  };
}

function discoveryRules(rules: CompiledRules): readonly CompiledRule[] {
  return [...rules.custom, ...rules.external];
}

interface DiscoveredRule {
  readonly findings: RuleFindings;
  readonly warnings: readonly string[];
}

async function discoverRule(rule: CompiledRule, context: DiscoverContext): Promise<DiscoveredRule> {
  if (rule.kind === "custom") {
    const { entries, warnings } = await discoverCustom(rule, context);
    return { findings: { custom: entries, external: [] }, warnings };
  }
  const { entries, warnings } = await discoverExternal(rule, context);
  return { findings: { custom: [], external: entries }, warnings };
}

/** What is known of rules, under the rules that replace them. */
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

/** Whether Prometheus refuses the rule, however often it is listed. */
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
