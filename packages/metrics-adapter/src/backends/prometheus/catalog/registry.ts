// The catalog of metrics: relists the series of all rules and keeps the last snapshot.
import { backoffMs, createLogLimiter, messageOf } from "@plimsoll/component-base";
import { type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import {
  type CompiledRule,
  type CompiledRules,
  createSeriesSource,
  createSnapshotInSlices,
  type DiscoveredRule,
  discoverRule,
  emptySnapshot,
  type Former,
  type RegistrySnapshot,
  type ResourceMapper,
  type RuleFindings,
} from "@plimsoll/rules";
import type { EngineSeams } from "../seams.ts";
import { createWarnings, type RuleWarnings } from "./rule-warnings.ts";

export interface RegistryOptions extends EngineSeams {
  readonly rules: CompiledRules;
  readonly prometheus: PrometheusClient;
  readonly mapper: ResourceMapper;
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
  /** Rules that may name other metrics than those that are known: they own what they may name. */
  unlisted(): readonly CompiledRule[];
  /** Resolves when the metrics have been listed for the first time, or could not be. */
  start(): Promise<void>;
  /**
   * Lists the metrics by other rules. Until that is done those of the old ones stay; rules that find the same as
   * before, or as what is known from another registry, keep it if discovery fails. Resolves when the new ones are in
   * force, or have been overtaken by newer ones.
   */
  use(rules: CompiledRules, known?: Findings): Promise<void>;
  stop(): void;
}

const logPauseMs = 60_000;
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
  /** Whether to log that a rule failed. */
  isDue: (rule: string) => boolean;
  /** A relist that finds the same lists costs a comparison. */
  readonly former: WeakMap<CompiledRule, Former>;
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
    isDue: createLogLimiter(clock, logPauseMs),
    former: new WeakMap(),
  };
  let cancel: (() => void) | undefined;
  let running: AbortController | undefined;

  const loop = async (wanted: readonly CompiledRule[], known?: Findings): Promise<void> => {
    cancel?.();
    running?.abort();
    const controller = new AbortController();
    running = controller;
    try {
      await relist(options, state, { wanted, known, signal: controller.signal });
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
    unlisted: () => state.rules.filter((rule) => isUnlisted(state, rule)),
    async start() {
      if (running === undefined) await loop(state.rules);
    },
    async use(next, known) {
      state.warnings = createWarnings(options);
      state.isDue = createLogLimiter(clock, logPauseMs);
      state.failures = 0;
      await loop(discoveryRules(next), known);
    },
    stop() {
      cancel?.();
      running?.abort();
    },
  };
}

/** The only name of a rule is its own also while it has no series. One that is refused names nothing else. */
function isUnlisted({ findings, refused }: State, rule: CompiledRule): boolean {
  const found = findings.get(rule);
  if (rule.possibleNames.only === undefined) return found === undefined && !refused.has(rule);
  return found === undefined || found.custom.length + found.external.length === 0;
}

function delayMs({ relistIntervalMs }: RegistryOptions, { failures }: State): number {
  if (failures === 0) return relistIntervalMs;
  return Math.min(backoffMs(failures - 1, RETRY), relistIntervalMs);
}

interface Relist {
  readonly wanted: readonly CompiledRule[];
  readonly known: Findings | undefined;
  readonly signal: AbortSignal;
}

/** Lists the metrics of all rules; a rule that fails keeps what was known of it. */
async function relist(options: RegistryOptions, state: State, relisted: Relist): Promise<void> {
  const { wanted, signal } = relisted;
  const { clock, log, prometheus, maxAgeMs, mapper } = options;
  const nowMs = clock.nowMs();
  const source = createSeriesSource({ prometheus, nowMs, maxAgeMs, signal });
  const context = { source, mapper, former: state.former };
  const outcomes = await Promise.allSettled(wanted.map((rule) => discoverRule(rule, context)));
  if (signal.aborted) return;
  const { found, failed } = gathered(state, relisted, outcomes);
  const isSame = isUnchanged(state, wanted, found);
  const snapshot = isSame ? state.snapshot : await createSnapshotInSlices(findingsOf(wanted, found));
  if (signal.aborted) return;
  for (const { rule, cause } of failed)
    if (state.isDue(rule.path)) log.warn({ rule: rule.path, err: cause }, "discovery failed for a rule");
  state.problem = describe(failed);
  state.refused = new Set(failed.filter(({ cause }) => isRefusal(cause)).map(({ rule }) => rule));
  state.failures = failed.length === 0 ? 0 : state.failures + 1;
  publish(state, { rules: wanted, findings: found, snapshot });
  if (!isSame) options.onPublished?.();
  const series = state.snapshot.infos.length + state.snapshot.externalNames.length;
  options.telemetry.relisted({ failedRules: failed.length, series, atMs: nowMs });
  if (failed.length === 0) void options.onRelisted?.(signal);
}

function gathered(
  state: State,
  { wanted, known = new Map() }: Relist,
  outcomes: readonly PromiseSettledResult<DiscoveredRule>[],
) {
  const found = carriedOver(new Map([...known, ...state.findings]), wanted);
  const failed: FailedRule[] = [];
  for (const [at, rule] of wanted.entries()) {
    const outcome = outcomes[at];
    if (outcome?.status === "fulfilled") {
      const { findings } = outcome.value;
      const before = found.get(rule);
      const isKept = before?.custom === findings.custom && before.external === findings.external;
      if (!isKept) found.set(rule, findings);
      for (const warning of outcome.value.warnings) state.warnings.log(rule.path, warning);
    } else if (outcome !== undefined) {
      failed.push({ rule, cause: outcome.reason });
    }
  }
  return { found, failed };
}

function findingsOf(rules: readonly CompiledRule[], found: Findings): readonly RuleFindings[] {
  return rules.flatMap((rule) => found.get(rule) ?? []);
}

function isUnchanged(state: State, rules: readonly CompiledRule[], found: Findings): boolean {
  const [before, after] = [findingsOf(state.rules, state.findings), findingsOf(rules, found)];
  return before.length === after.length && after.every((one, index) => one === before[index]);
}

function publish(state: State, next: Pick<State, "rules" | "findings" | "snapshot">): void {
  Object.assign(state, next);
  for (const { metric, groupResource, kept, dropped } of state.snapshot.collisions) {
    const of = groupResource === undefined ? metric : `${groupResource}/${metric}`;
    const warning = `${of}: ${kept.series} of ${kept.rule} replaces ${dropped.series}`;
    state.warnings.log(dropped.rule, warning);
  }
}

function discoveryRules(rules: CompiledRules): readonly CompiledRule[] {
  return [...rules.custom, ...rules.external];
}

/** What is known of rules, under the rules that replace them. */
function carriedOver(findings: Findings, wanted: readonly CompiledRule[]): Map<CompiledRule, RuleFindings> {
  const byKey = new Map([...findings].map(([rule, found]) => [rule.discoveryKey, found]));
  const kept = new Map<CompiledRule, RuleFindings>();
  for (const rule of wanted) {
    const same = findings.get(rule);
    if (same !== undefined) kept.set(rule, same);
    const found = same === undefined ? byKey.get(rule.discoveryKey) : undefined;
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
