// A token that is fetched when it is needed, kept as long as it is valid, and fetched again before it ends.
import type { RequestClock } from "@plimsoll/prometheus";

/** What an identity provider gives. */
export interface Token {
  readonly value: string;
  /** In milliseconds since 1970; undefined: the provider does not say. */
  readonly expiresAtMs: number | undefined;
}

export interface TokenStoreOptions {
  /** @throws Error when there is none; its message holds no secret */
  readonly fetchToken: () => Promise<Token>;
  readonly clock: RequestClock;
}

export interface TokenStore {
  /** @throws the error of the last attempt, until the next one is due */
  current(): Promise<string>;
  /** A server refused it. @returns whether another one may be fetched now */
  refused(value: string): boolean;
}

/** RFC 6749 recommends expires_in and demands nothing. */
const defaultLifetimeMs = 5 * 60_000;
/** A token is not used in its last seconds: the request has to arrive with it. */
const lastMs = 10_000;
/** One fetch may take this long; more are not started meanwhile. */
const fetchMs = 10_000;
/** Between attempts after a failure, and between tokens that a server refuses. */
const retryMs = 5_000;

interface Held {
  readonly value: string;
  readonly fetchedAtMs: number;
  readonly refreshAtMs: number;
  readonly endsAtMs: number;
}

/** Requests that wait for a token wait for one fetch. */
export function createTokenStore({ fetchToken, clock }: TokenStoreOptions): TokenStore {
  let held: Held | undefined;
  let failure: { readonly error: unknown; readonly atMs: number } | undefined;
  let flight: Promise<string> | undefined;

  const fetched = async (): Promise<string> => {
    try {
      held = hold(await withinTime(fetchToken(), clock), clock.nowMs());
      failure = undefined;
      return held.value;
    } catch (error) {
      failure = { error, atMs: clock.nowMs() };
      throw error;
    } finally {
      flight = undefined;
    }
  };
  const startFetch = (): Promise<string> => {
    flight ??= fetched();
    return flight;
  };
  const isFailing = (nowMs: number): boolean =>
    failure !== undefined && isWithin(nowMs, failure.atMs, retryMs);

  return {
    async current() {
      const nowMs = clock.nowMs();
      if (held !== undefined && nowMs < held.endsAtMs) {
        // In the background: the token that is there is good until it ends.
        if (nowMs >= held.refreshAtMs && !isFailing(nowMs)) startFetch().catch(() => {});
        return held.value;
      }
      if (failure !== undefined && isFailing(nowMs)) throw failure.error;
      return await startFetch();
    },
    refused(value) {
      if (held?.value !== value) return true;
      if (isWithin(clock.nowMs(), held.fetchedAtMs, retryMs)) return false;
      held = undefined;
      return true;
    },
  };
}

/** A clock that was set back ends every wait. */
function isWithin(nowMs: number, sinceMs: number, durationMs: number): boolean {
  return nowMs >= sinceMs && nowMs < sinceMs + durationMs;
}

function hold({ value, expiresAtMs }: Token, nowMs: number): Held {
  if (!/^[\x21-\x7e]+$/.test(value)) throw new Error("the token is empty, or no header may have it");
  const endsAtMs = expiresAtMs ?? nowMs + defaultLifetimeMs;
  const lifetimeMs = Math.max(0, endsAtMs - nowMs);
  return {
    value,
    fetchedAtMs: nowMs,
    refreshAtMs: nowMs + lifetimeMs * 0.8,
    endsAtMs: endsAtMs - Math.min(lastMs, lifetimeMs * 0.1),
  };
}

async function withinTime(promise: Promise<Token>, clock: RequestClock): Promise<Token> {
  let cancel = (): void => {};
  const late = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(fetchMs, () => reject(new Error(`no token within ${fetchMs} ms`)));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancel();
  }
}
