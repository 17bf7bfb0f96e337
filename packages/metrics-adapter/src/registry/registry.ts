import type { Clock } from "@plimsoll/kube";
import type { PrometheusClient } from "@plimsoll/prometheus";
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
}

export interface RegistryState {
  /** Whether the snapshot holds answers for at least one rule, or there are no rules to ask about. */
  readonly hasAnswers: boolean;
  /** Why the last relist failed, where it did. */
  readonly problem: string | undefined;
}

/** Knows which metrics there are. Keeps what it knew of a rule for as long as asking anew fails. */
export interface Registry {
  snapshot(): RegistrySnapshot;
  state(): RegistryState;
  start(): void;
  stop(): void;
}

type RuleKey = "custom" | "external";

const SHORTEST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

export function createRegistry(options: RegistryOptions): Registry {
  const { clock, log, telemetry } = options;
  const rules: readonly (readonly [RuleKey, CompiledRule])[] = [
    ...options.rules.custom.map((rule) => ["custom", rule] as const),
    ...options.rules.external.map((rule) => ["external", rule] as const),
  ];
  const findings = new Map<CompiledRule, RuleFindings>();
  const saidRemarks = new Set<string>();
  let current = emptySnapshot;
  let hasAnswers = false;
  let problem: string | undefined;
  let failures = 0;
  let cancel: (() => void) | undefined;
  let running: AbortController | undefined;

  const discover = async (kind: RuleKey, rule: CompiledRule, context: DiscoverContext): Promise<void> => {
    if (kind === "custom") {
      const { entries, remarks } = await discoverCustom(rule, context);
      keep(rule, { custom: entries, external: [] }, remarks);
    } else {
      const { entries, remarks } = await discoverExternal(rule, context);
      keep(rule, { custom: [], external: entries }, remarks);
    }
  };

  const keep = (rule: CompiledRule, found: RuleFindings, remarks: readonly string[]): void => {
    findings.set(rule, found);
    for (const remark of remarks) warnOnce(rule.path, remark);
  };

  const warnOnce = (rule: string, remark: string): void => {
    const key = `${rule}: ${remark}`;
    if (saidRemarks.has(key)) return;
    saidRemarks.add(key);
    log.warn({ rule, remark }, "a rule needs attention");
  };

  const relist = async (signal: AbortSignal): Promise<void> => {
    const nowMs = clock.nowMs();
    const source = createSeriesSource({
      prometheus: options.prometheus,
      nowMs,
      maxAgeMs: options.maxAgeMs,
      signal,
    });
    const context = { source, mapper: options.mapper };
    const outcomes = await Promise.allSettled(rules.map(([kind, rule]) => discover(kind, rule, context)));
    if (signal.aborted) return;
    const failed = outcomes.flatMap((outcome, at) =>
      outcome.status === "rejected"
        ? [{ rule: rules[at]?.[1].path ?? "", cause: outcome.reason as unknown }]
        : [],
    );
    for (const { rule, cause } of failed) log.warn({ rule, err: cause }, "discovery failed for a rule");
    problem = describe(failed);
    failures = failed.length === 0 ? 0 : failures + 1;
    publish();
    telemetry.relisted({ failedRules: failed.length, series: countSeries(), atMs: nowMs });
  };

  const publish = (): void => {
    hasAnswers = findings.size > 0;
    current = createSnapshot(rules.flatMap(([, rule]) => findings.get(rule) ?? []));
    for (const { metric, groupResource, kept, dropped } of current.collisions) {
      const of = groupResource === undefined ? metric : `${groupResource}/${metric}`;
      warnOnce(dropped.rule, `${of}: ${kept.series} of ${kept.rule} takes the place of ${dropped.series}`);
    }
  };

  const countSeries = (): number => current.infos.length + current.externalNames.length;

  const loop = async (): Promise<void> => {
    const controller = new AbortController();
    running = controller;
    try {
      await relist(controller.signal);
    } catch (error) {
      failures += 1;
      problem = messageOf(error);
      log.error({ err: error }, "relisting failed");
    }
    if (controller.signal.aborted) return;
    cancel = clock.after(delayMs(), () => void loop());
  };

  const delayMs = (): number => {
    if (failures === 0) return options.relistIntervalMs;
    const backoffMs = Math.min(LONGEST_RETRY_MS, SHORTEST_RETRY_MS * 2 ** Math.min(failures - 1, 10));
    return Math.min(backoffMs, options.relistIntervalMs);
  };

  return {
    snapshot: () => current,
    state: () => ({
      hasAnswers: rules.length === 0 || hasAnswers,
      problem,
    }),
    start() {
      if (running === undefined && rules.length > 0) void loop();
    },
    stop() {
      cancel?.();
      running?.abort();
    },
  };
}

interface FailedRule {
  readonly rule: string;
  readonly cause: unknown;
}

function describe(failed: readonly FailedRule[]): string | undefined {
  const [first] = failed;
  if (first === undefined) return undefined;
  const more = failed.length > 1 ? ` (and ${failed.length - 1} more rules)` : "";
  return `discovery failed for ${first.rule}${more}: ${messageOf(first.cause)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
