// What a provider gives: a value or a failure.
import { type Awaitable, chain } from "@plimsoll/component-base";
import type { Freshness } from "@plimsoll/metric-rules";

/** What a provider gives: a value, or why there is none. */
export type Outcome<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** Absent: the value cannot be reused. */
      readonly freshness?: Freshness;
    }
  | Failed;

export interface Failed {
  readonly ok: false;
  readonly failure: ProviderFailure;
}

export interface ProviderFailure {
  readonly code:
    | "MetricNotFound"
    | "ResourceNotFound"
    | "ObjectNotFound"
    | "NoObjectsSelected"
    | "BadRequest"
    | "Unavailable"
    | "Timeout"
    | "Internal";
  readonly message: string;
  readonly retryAfterSeconds?: number;
  readonly resource?: string;
  readonly name?: string;
  /** In one word, for a client that shows it. */
  readonly cause?: string;
}

export function ok<T>(value: T, freshness?: Freshness): Outcome<T> {
  return freshness === undefined ? { ok: true, value } : { ok: true, value, freshness };
}

export function failed(
  code: ProviderFailure["code"],
  message: string,
  details: Omit<ProviderFailure, "code" | "message"> = {},
): Failed {
  return { ok: false, failure: { code, message, ...details } };
}

/** Runs the next step on a value; a failure ends the steps. */
export function whenOk<T, U>(
  outcome: Awaitable<Outcome<T>>,
  next: (value: T) => Awaitable<Outcome<U>>,
): Awaitable<Outcome<U>> {
  return chain(outcome, (known) => (known.ok ? next(known.value) : known));
}
