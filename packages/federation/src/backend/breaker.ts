// The circuit breaker of a backend: sends nothing to one that does not respond.
import { backoffMs, type Clock } from "@plimsoll/component-base";
import { type BackendResult, failure } from "./answer.ts";

/**
 * Requests to a backend that did not respond several times in a row fail at once. After a pause one request is sent;
 * the others go on failing until it is known how that one ended.
 */
export interface Breaker {
  run(work: () => Promise<BackendResult>): Promise<BackendResult>;
  /**
   * The backend was seen to respond by other means: requests are sent to it again. If these fail, the next pause is the longer
   * one all the same.
   */
  responded(): void;
  /** Whether requests are refused, or wait for what becomes of the one. */
  isOpen(): boolean;
}

/** When it opens, and for how long. */
export interface BreakerOptions {
  readonly clock: Clock;
  readonly failures?: number;
  readonly minPauseMs?: number;
  /** The pause doubles up to this. */
  readonly maxPauseMs?: number;
}

/** Closed. */
export function createBreaker(options: BreakerOptions): Breaker {
  const { clock, failures: maxFailures = 3, minPauseMs = 1_000, maxPauseMs = 30_000 } = options;
  let failures = 0;
  let pauses = 0;
  let opensAtMs = 0;
  let isTrying = false;

  const mayTry = (): boolean => {
    const waitMs = opensAtMs - clock.nowMs();
    // A clock that was set back must not keep it open for longer than it ever is.
    return !isTrying && (waitMs <= 0 || waitMs > maxPauseMs);
  };
  const settle = (result: BackendResult, isTry: boolean): void => {
    if (result.ok || result.kind === "refused") {
      failures = 0;
      pauses = 0;
    } else if (result.kind === "unreachable" || result.kind === "timeout") {
      failures += 1;
      if (isTry || failures === maxFailures)
        opensAtMs = clock.nowMs() + backoffMs(pauses++, { baseMs: minPauseMs, maxMs: maxPauseMs });
    }
  };

  return {
    isOpen: () => failures >= maxFailures,
    responded() {
      failures = 0;
    },
    async run(work) {
      const isTry = failures >= maxFailures;
      if (isTry && !mayTry())
        return failure("open", `it did not respond ${failures} times in a row, the next try comes soon`);
      if (isTry) isTrying = true;
      try {
        const result = await work();
        settle(result, isTry);
        return result;
      } finally {
        if (isTry) isTrying = false;
      }
    },
  };
}
