// Keeps the status of MetricRules: slowly, and only what has changed.
import {
  type Clock,
  createLimit,
  createLogLimiter,
  getOrAdd,
  type Limit,
  type Logger,
} from "@plimsoll/component-base";
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
  /** Of checks that wait for windows. */
  readonly limitOf: (namespace: string) => Limit;
}

/** One run for a rule. */
interface Reconciled {
  readonly key: string;
  readonly signal: AbortSignal;
  /** Takes over a check that waits for a window; absent: this run may wait. */
  readonly waitElsewhere?: (key: string) => void;
}

/** Of a namespace at a time: others do not wait for them. */
const maxLiveChecks = 4;

export function createStatusWriter(options: StatusWriterOptions) {
  const { clock, log, rules, random = () => Math.random() } = options;
  const isDue = createLogLimiter(clock, logPauseMs);
  const limits = new Map<string, Limit>();
  const state: State = {
    ...options,
    limitOf: (namespace) => getOrAdd(limits, namespace, () => createLimit(maxLiveChecks)),
    random,
    checks: createChecks(random()),
    pace: createPace(clock, paceMs),
    paceChecks: createPace(clock, paceMs),
    warn(error) {
      if (isDue("")) log.warn({ err: error }, "cannot write the status of a MetricRule");
    },
  };
  const controllerOf = (
    limits: { readonly concurrency: number; readonly maxSlow: number },
    rest: Pick<Reconciled, "waitElsewhere">,
  ) =>
    createKeyedController({
      clock,
      random,
      ...limits,
      reconcile: (key, signal) => reconcile(state, { key, signal, ...rest }),
      onError: (_key, error) => state.warn(error),
    });
  // Checks that take minutes keep nothing waiting but those of their namespace.
  const waiting = controllerOf({ concurrency: Infinity, maxSlow: Infinity }, {});
  const controller = controllerOf({ concurrency: 2, maxSlow: 64 }, { waitElsewhere: waiting.enqueue });
  return {
    /** The decision on a rule is new, or the rule is gone. */
    decided(rule: WatchedRule): void {
      const { namespace = "", name } = rule.metadata;
      const key = objectKey(namespace, name);
      waiting.lost(key);
      if (rules.get(namespace, name) !== undefined) return controller.enqueue(key);
      state.checks.forget(rule);
      return controller.lost(key);
    },
    stop: async () => void (await Promise.all([controller.stop(), waiting.stop()])),
  };
}

async function reconcile(state: State, run: Reconciled): Promise<ReconcileResult> {
  const { rules, checks, clock, random } = state;
  const { key, signal } = run;
  const [namespace = "", name = ""] = key.split("/");
  const before = rules.get(namespace, name);
  const decided = before === undefined ? undefined : rules.catalog.decisionOn(before);
  if (before === undefined || decided === undefined || decided.type === "pending") return {};
  const check = await currentCheck(state, before, { ...run, decided });
  if (check === "elsewhere") return {};
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
  { decided, key, signal, waitElsewhere }: Reconciled & { readonly decided: Decided },
): Promise<RuleCheck | "elsewhere" | undefined> {
  if (decided.type !== "accepted") return undefined;
  const { checks, clock } = state;
  const nowMs = (): number => clock.nowMs();
  const isOther = rule.status?.query !== decided.rule.query || !isOfGeneration(rule);
  const last = checks.last(rule);
  const isDue = nowMs() >= checks.dueAtMs(rule);
  // A check whose status could not be written is written now.
  if (!isDue && last !== undefined) return isOther || checks.isUnwritten(rule) ? last : undefined;
  if (!isDue && !isOther) return undefined;
  const run = async (): Promise<RuleCheck> => {
    await state.paceChecks(signal);
    const check = await checkRule(decided.rule, state.server, { signal, nowMs });
    if (!signal.aborted) checks.checked(rule, check);
    return check;
  };
  if (decided.rule.live === undefined) return await run();
  // The check waits until the window is full.
  if (waitElsewhere === undefined) return await state.limitOf(decided.rule.namespace)(run);
  if (isOther) await writeStatus(state, rule, { decided, check: undefined, signal });
  waitElsewhere(key);
  return "elsewhere";
}

/** Whether the result that the status has is of this specification: another label may be asked for in the same query. */
function isOfGeneration({ status, metadata: { generation = 0 } }: WatchedRule): boolean {
  const resolved = status?.conditions.find(({ type }) => type === "Resolved");
  return resolved?.observedGeneration === generation;
}
