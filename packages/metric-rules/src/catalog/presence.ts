// Whether the cluster has a kind, and whether its objects can be listed.
import { type Clock, messageOf, steadyNowMs } from "@plimsoll/component-base";
import { ApiError, isNotFound, type Reflector } from "@plimsoll/kube";

/**
 * - `starting`: neither listed nor refused yet.
 * - `present`: listed once, and the kind is there.
 * - `missing`: the cluster has no such kind.
 * - `failing`: never listed, because the server cannot be reached or refuses.
 */
export type RulesPresence = "starting" | "present" | "missing" | "failing";

export type Presence = ReturnType<typeof createPresence>;

/** Called at each failure. */
export interface PresenceListener {
  readonly onFailed: (error: unknown) => void;
  readonly onMissing: () => void;
}

/** A server that starts may not know the kind for a moment, and what is in force goes on. */
const missingAfterMs = 30_000;

export function createPresence(clock: Clock, { onFailed, onMissing }: PresenceListener) {
  let missing: { readonly sinceMs: number; readonly wallMs: number } | undefined;
  let lastFailure: string | undefined;
  let isForbidden = false;
  return {
    /** Why they could not be listed the last time. */
    lastFailure: (): string | undefined => lastFailure,
    /** Whether the server refused the last time, because the process lacks the permission. */
    isForbidden: (): boolean => isForbidden,
    failed(error: unknown): void {
      if (!isNotFound(error)) {
        lastFailure = messageOf(error);
        isForbidden = error instanceof ApiError && (error.code === 401 || error.code === 403);
        onFailed(error);
        return;
      }
      missing ??= { sinceMs: steadyNowMs(clock), wallMs: clock.nowMs() };
      onMissing();
    },
    state({
      isSynced,
      lastContactMs = Number.NEGATIVE_INFINITY,
    }: Pick<Reflector<never>, "isSynced" | "lastContactMs">): RulesPresence {
      if (missing !== undefined && lastContactMs > missing.wallMs) missing = undefined;
      if (missing !== undefined && (!isSynced || steadyNowMs(clock) - missing.sinceMs >= missingAfterMs))
        return "missing";
      if (isSynced) return "present";
      return lastFailure === undefined ? "starting" : "failing";
    },
  };
}
