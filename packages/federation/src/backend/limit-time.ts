// How long an exchange with a backend may take.
import type { Clock } from "@plimsoll/component-base";
import { failure } from "./answer.ts";

/** Aborts, with the result for its reason, when time is up or when one of the signals aborts. */
export function limitTime(
  clock: Clock,
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
): { readonly signal: AbortSignal; readonly cancel: () => void } {
  const end = new AbortController();
  const cancel = clock.after(timeoutMs, () =>
    end.abort(failure("timeout", `it did not answer within ${timeoutMs} ms`)),
  );
  const listening = signals.flatMap((signal) => {
    if (signal === undefined) return [];
    const onAbort = (): void => end.abort(signal.reason);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    return [{ signal, onAbort }];
  });
  return {
    signal: end.signal,
    cancel: () => {
      cancel();
      for (const { signal, onAbort } of listening) signal.removeEventListener("abort", onAbort);
    },
  };
}
