// Requests whose callers leave: how these end, and which of them shows whether the backend responds.
import type { Clock } from "@plimsoll/component-base";
import { type BackendResult, failure } from "./answer.ts";

/** Of the requests whose callers left, the one that is waited for. */
export interface Witness {
  /** The caller of a request has left: it is ended by `request`, or waited for. */
  leave(result: Promise<unknown>, request: AbortController): void;
}

/**
 * A caller with little time says nothing about the backend, and must not open its circuit breaker. For that one request whose
 * caller left is waited for as long as the backend may take; there is one, so that callers who leave take no places of others.
 */
export function createWitness(): Witness {
  let isWaiting = false;
  return {
    leave(result, request) {
      if (isWaiting) return request.abort(callerLeft);
      isWaiting = true;
      const end = (): void => {
        isWaiting = false;
      };
      result.then(end, end);
    },
  };
}

const callerLeft = failure("canceled", "its caller has gone away");
/** Of a backend that is silent for longer than this the log says so, even if the caller had less time than it may take. */
const silentMs = 2_000;

/** The result, or that the caller left before. */
export function orLeft(
  clock: Clock,
  result: Promise<BackendResult>,
  caller: AbortSignal | undefined,
  onLeave: () => void,
): Promise<BackendResult> {
  if (caller === undefined) return result;
  const startedAtMs = clock.nowMs();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      onLeave();
      resolve(leftAfter(clock.nowMs() - startedAtMs));
    };
    caller.addEventListener("abort", onAbort);
    result.finally(() => caller.removeEventListener("abort", onAbort)).then(resolve, reject);
  });
}

/** What is logged and counted for a caller that left. */
export function leftAfter(waitedMs: number): BackendResult {
  return waitedMs >= silentMs
    ? failure("timeout", `it did not answer within ${waitedMs} ms, all the time that its caller had`)
    : callerLeft;
}
