import { ConnectionError } from "../api-error.ts";

/** Aborts when the caller does or the time is over, and knows which. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** From now on only the caller can abort. */
  lift(): void;
  /** Ends the timer, and the listener at the caller. */
  end(): void;
}

/** The signal aborts with a ConnectionError. */
export function createDeadline(caller: AbortSignal | undefined, timeoutMs: number, what: string): Deadline {
  const own = new AbortController();
  const onCaller = () => own.abort(new ConnectionError("aborted", `${what}: aborted`, caller?.reason));
  const timer = setTimeout(() => {
    own.abort(new ConnectionError("timeout", `${what}: no response within ${String(timeoutMs)} ms`));
  }, timeoutMs);
  if (caller?.aborted === true) onCaller();
  else caller?.addEventListener("abort", onCaller);
  return {
    signal: own.signal,
    lift: () => clearTimeout(timer),
    end() {
      clearTimeout(timer);
      caller?.removeEventListener("abort", onCaller);
    },
  };
}
