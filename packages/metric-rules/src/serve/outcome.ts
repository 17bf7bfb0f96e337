// What serving a MetricRule gives: a value or a failure.
import type { InstantResult } from "@plimsoll/prometheus";
import type { CompiledRule } from "../compile/compiled.ts";

/** Whether a value is still current, without computing it once more. */
export interface Freshness {
  isFresh(): boolean;
  reused(): void;
}

export interface Failure {
  readonly ok: false;
  readonly failure: {
    readonly code: "BadRequest" | "ObjectNotFound" | "Unavailable" | "Internal";
    readonly message: string;
    readonly retryAfterSeconds?: number;
  };
}

export type Outcome<T> = { readonly ok: true; readonly value: T; readonly freshness?: Freshness } | Failure;

/** What a query gives. */
export type Ran =
  | { readonly ok: true; readonly result: InstantResult; readonly freshness: Freshness }
  | Failure;

/** A query that passed the enforcement. */
export interface RuleQuery {
  readonly rule: CompiledRule;
  readonly timeoutMs: number;
  /** A result of more series is of no use, and need not be kept. */
  readonly maxSeries: number;
  /** Keeping more of a response than this is an error. */
  readonly maxResponseBytes: number;
  /** Of the request that causes it. */
  readonly signal: () => AbortSignal;
  /** Nobody needs the value itself [false]. */
  readonly isCheck?: boolean | undefined;
}

/** Where the queries of rules go: the sources of the configuration, with what they share and limit. */
export interface QuerySource {
  /** The result of another request, where it is fresh. */
  cached(rule: CompiledRule): Ran | undefined;
  /** Rejects as the client of Prometheus does, or with the signal's reason. */
  run(query: RuleQuery): Promise<Ran>;
}

export function failed(
  code: Failure["failure"]["code"],
  message: string,
  retryAfterSeconds?: number,
): Failure {
  const failure = { code, message };
  return {
    ok: false,
    failure: retryAfterSeconds === undefined ? failure : { ...failure, retryAfterSeconds },
  };
}
