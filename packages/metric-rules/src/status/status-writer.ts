// Keeps the status of MetricRules: slowly, and only what has changed.
import { type Clock, createLogLimiter, type Logger } from "@plimsoll/component-base";
import { createKeyedController, type KubeClient, objectKey, type ReconcileResult } from "@plimsoll/kube";
import type { WatchedRules } from "../catalog/watched-rules.ts";
import type { Decided } from "../compile/compiled.ts";
import type { WatchedRule } from "../kind/kind.ts";
import type { RuleServer } from "../serve/serve.ts";
import { checkRule, type RuleCheck } from "./check-rule.ts";
import { type Checks, createChecks } from "./checks.ts";
import { createPace, type Pace, writeStatus } from "./write-status.ts";

export interface StatusWriterOptions {
  readonly client: KubeClient;
  readonly rules: Pick<WatchedRules, "get" | "catalog">;
  readonly server: Pick<RuleServer, "result">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: (() => number) | undefined;
}

/**
 * Every replica writes. What they write is the same for the same rule, so that the second one finds nothing to do, or
 * is refused for its older version of the object. A write follows a decision or the time of a check, never another
 * write: replicas with different flags do not write against each other.
 */
export type StatusWriter = ReturnType<typeof createStatusWriter>;

/** Writes of a process begin so far apart, and so do its checks. */
const paceMs = 100;
const refusedMs = 300_000;
const conflictMs = 1_000;
const logPauseMs = 600_000;

interface State extends StatusWriterOptions {
  readonly checks: Checks;
  readonly paceChecks: Pace;
  readonly pace: Pace;
  readonly random: () => number;
  readonly warn: (error: unknown) => void;
}

export function createStatusWriter(options: StatusWriterOptions) {
  const { clock, log, rules, random = () => Math.random() } = options;
  const isDue = createLogLimiter(clock, logPauseMs);
  const state: State = {
    ...options,
    random,
    checks: createChecks(random()),
    pace: createPace(clock, paceMs),
    paceChecks: createPace(clock, paceMs),
    warn(error) {
      if (isDue("")) log.warn({ err: error }, "cannot write the status of a MetricRule");
    },
  };
  const controller = createKeyedController({
    clock,
    random,
    concurrency: 2,
    maxSlow: 64,
    reconcile: (key, signal) => reconcile(state, key, signal),
    onError: (_key, error) => state.warn(error),
  });
  return {
    /** The decision on a rule is new, or the rule is gone. */
    decided(rule: WatchedRule): void {
      const { namespace = "", name } = rule.metadata;
      const key = objectKey(namespace, name);
      if (rules.get(namespace, name) !== undefined) return controller.enqueue(key);
      state.checks.forget(rule);
      return controller.lost(key);
    },
    stop: (): Promise<void> => controller.stop(),
  };
}

async function reconcile(state: State, key: string, signal: AbortSignal): Promise<ReconcileResult> {
  const { rules, checks, clock, random } = state;
  const [namespace = "", name = ""] = key.split("/");
  const before = rules.get(namespace, name);
  const decided = before === undefined ? undefined : rules.catalog.decisionOn(before);
  if (before === undefined || decided === undefined || decided.type === "pending") return {};
  const check = await currentCheck(state, before, { decided, signal });
  // What has been decided otherwise meanwhile brings the key here once more.
  const rule = rules.get(namespace, name);
  if (signal.aborted || rule === undefined || rules.catalog.decisionOn(rule) !== decided) return {};
  const written = await writeStatus(state, rule, { decided, check, signal });
  if (written === "conflict") return { requeueAtMs: clock.nowMs() + conflictMs * (1 + random()) };
  if (written !== "done") {
    state.warn(written.error);
    return { requeueAtMs: clock.nowMs() + refusedMs * (1 + random()) };
  }
  return decided.type === "accepted" ? { requeueAtMs: checks.dueAtMs(rule) } : {};
}

/** The check that the status has to show; undefined where what the status has is good. */
async function currentCheck(
  state: State,
  rule: WatchedRule,
  { decided, signal }: { readonly decided: Decided; readonly signal: AbortSignal },
): Promise<RuleCheck | undefined> {
  if (decided.type !== "accepted") return undefined;
  const { checks, clock } = state;
  const nowMs = (): number => clock.nowMs();
  const isOther = rule.status?.query !== decided.rule.query || !isOfGeneration(rule);
  const last = checks.last(rule);
  const isDue = nowMs() >= checks.dueAtMs(rule);
  // A check whose status could not be written is written now.
  if (!isDue && last !== undefined) return isOther || checks.isUnwritten(rule) ? last : undefined;
  if (!isDue && !isOther) return undefined;
  // The check waits until the window of a live rule is full.
  if (rule.status === undefined && decided.rule.live !== undefined)
    await writeStatus(state, rule, { decided, check: undefined, signal });
  await state.paceChecks(signal);
  const check = await checkRule(decided.rule, state.server, { signal, nowMs });
  if (!signal.aborted) checks.checked(rule, check);
  return check;
}

/** Whether the result that the status has is of this specification: another label may be asked for in the same query. */
function isOfGeneration({ status, metadata: { generation = 0 } }: WatchedRule): boolean {
  const resolved = status?.conditions.find(({ type }) => type === "Resolved");
  return resolved?.observedGeneration === generation;
}
