// A token that is fetched when it is needed, kept as long as it is valid, and fetched again before it ends.
import { registerSecret } from "@plimsoll/core/redact";
import type { RequestClock } from "@plimsoll/prometheus";

/** What an identity provider gives: a text, which a header has to hold, or keys. */
export interface Token<V = string> {
  readonly value: V;
  /** In milliseconds since 1970; undefined, or not a number: the provider does not say. */
  readonly expiresAtMs: number | undefined;
}

export interface TokenStoreOptions<V> {
  /**
   * The signal aborts when the time of the fetch is over.
   * @throws Error when there is none; its message holds no secret
   */
  readonly fetchToken: (signal: AbortSignal) => Promise<Token<V>>;
  readonly clock: RequestClock;
}

export interface TokenStore<V = string> {
  /** @throws the error of the last attempt, until the next one is due */
  current(): Promise<V>;
  /** A server refused it. @returns whether another one may be fetched now */
  refused(value: V): boolean;
}

/** RFC 6749 recommends expires_in and demands nothing. */
const defaultLifetimeMs = 5 * 60_000;
/** However long a token is said to last: secrets are rotated, and a number may be wrong. */
const maxLifetimeMs = 24 * 60 * 60_000;
/** A token is not used in its last seconds: the request has to arrive with it. */
const lastMs = 10_000;
/** One fetch may take this long; more are not started meanwhile. */
const fetchMs = 10_000;
/** Between attempts after a failure, between tokens that a server refuses, and between those that are said to have ended. */
const retryMs = 5_000;

interface Held<V> {
  readonly value: V;
  readonly fetchedAtMs: number;
  readonly refreshAtMs: number;
  readonly endsAtMs: number;
}

/** Requests that wait for a token wait for one fetch. */
export function createTokenStore<V>({ fetchToken, clock }: TokenStoreOptions<V>): TokenStore<V> {
  let held: Held<V> | undefined;
  let failure: { readonly error: unknown; readonly atMs: number } | undefined;
  let flight: Promise<V> | undefined;

  const fetched = async (): Promise<V> => {
    try {
      held = hold(await withinTime(fetchToken, clock), clock.nowMs());
      failure = undefined;
      return held.value;
    } catch (error) {
      failure = { error, atMs: clock.nowMs() };
      throw error;
    } finally {
      flight = undefined;
    }
  };
  const startFetch = (): Promise<V> => {
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

function hold<V>({ value, expiresAtMs }: Token<V>, nowMs: number): Held<V> {
  if (typeof value === "string" && !/^[\x21-\x7e]+$/.test(value))
    throw new Error("the token is empty, or can't be sent in a header");
  if (typeof value === "string") registerSecret(value);
  const isSaid = expiresAtMs !== undefined && !Number.isNaN(expiresAtMs);
  const lifetimeMs = Math.min(maxLifetimeMs, isSaid ? expiresAtMs - nowMs : defaultLifetimeMs);
  const usedMs = lifetimeMs - Math.min(lastMs, lifetimeMs * 0.1);
  return {
    value,
    fetchedAtMs: nowMs,
    refreshAtMs: nowMs + Math.max(retryMs, lifetimeMs * 0.8),
    // One that has ended when it comes is tried all the same: either clock may be wrong.
    endsAtMs: nowMs + Math.max(retryMs, usedMs),
  };
}

async function withinTime<V>(
  fetchToken: TokenStoreOptions<V>["fetchToken"],
  clock: RequestClock,
): Promise<Token<V>> {
  const controller = new AbortController();
  return await new Promise((resolve, reject) => {
    const cancel = clock.after(fetchMs, () => {
      const error = new Error(`no token within ${fetchMs} ms`);
      reject(error);
      controller.abort(error);
    });
    fetchToken(controller.signal).finally(cancel).then(resolve, reject);
  });
}
