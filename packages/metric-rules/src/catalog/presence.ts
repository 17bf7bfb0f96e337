// Whether the cluster has the kind MetricRule, and whether its objects can be listed.
import { type Clock, createLogLimiter, type Logger, messageOf, steadyNowMs } from "@plimsoll/component-base";
import { isNotFound, type Reflector } from "@plimsoll/kube";

/**
 * - `starting`: neither listed nor refused yet.
 * - `present`: listed once, and the kind is there.
 * - `missing`: the cluster has no such kind.
 * - `failing`: never listed, because the server cannot be reached or refuses.
 */
export type RulesPresence = "starting" | "present" | "missing" | "failing";

export interface Presence {
  failed(error: unknown): void;
  /** Why they could not be listed the last time. */
  lastFailure(): string | undefined;
  state(reflector: Pick<Reflector<never>, "isSynced" | "lastContactMs">): RulesPresence;
}

/** A server that starts may not know the kind for a moment, and what is in force goes on. */
const missingAfterMs = 30_000;
const logPauseMs = 600_000;

export function createPresence(clock: Clock, log: Logger): Presence {
  const isDue = createLogLimiter(clock, logPauseMs);
  let missing: { readonly sinceMs: number; readonly wallMs: number } | undefined;
  let lastFailure: string | undefined;
  return {
    lastFailure: () => lastFailure,
    failed(error) {
      if (!isNotFound(error)) {
        lastFailure = messageOf(error);
        if (isDue("failed")) log.warn({ err: error }, "MetricRules cannot be watched");
        return;
      }
      missing ??= { sinceMs: steadyNowMs(clock), wallMs: clock.nowMs() };
      if (isDue("missing")) log.info({}, "the cluster has no MetricRules: their definition is not installed");
    },
    state({ isSynced, lastContactMs = Number.NEGATIVE_INFINITY }) {
      if (missing !== undefined && lastContactMs > missing.wallMs) missing = undefined;
      if (missing !== undefined && (!isSynced || steadyNowMs(clock) - missing.sinceMs >= missingAfterMs))
        return "missing";
      if (isSynced) return "present";
      return lastFailure === undefined ? "starting" : "failing";
    },
  };
}
