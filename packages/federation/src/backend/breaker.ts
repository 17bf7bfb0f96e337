// The circuit breaker of a backend: sends nothing to one that does not respond, or whose answers have no end.
import { type Clock, createCircuitState } from "@plimsoll/component-base";
import { type BackendResult, failure } from "./answer.ts";

/** Whether it shows that a backend is down: its caller, or what it says, show nothing of the kind. */
export function isFailing(result: BackendResult): boolean {
  return !result.ok && (result.isExcess === true || ["unreachable", "timeout"].includes(result.kind));
}

/**
 * Requests to a backend that failed several times in a row fail at once. After a pause one request is sent;
 * the others go on failing until it is known how that one ended.
 * It begins closed.
 */
export function createBreaker(clock: Clock) {
  const circuit = createCircuitState(clock, { failures: 3, baseMs: 1_000, maxMs: 30_000 });
  let isTrying = false;
  let cause = "";
  const problem = (): string | undefined =>
    circuit.isOpen() ? `its last ${circuit.failures} requests failed: ${cause}` : undefined;
  const settle = (result: BackendResult, isTry: boolean): void => {
    if (!result.ok && isFailing(result)) {
      cause = result.message;
      if (circuit.fail() || isTry) circuit.pause();
    } else if (result.ok || result.kind === "refused") circuit.close(true);
  };
  return {
    /** Why requests are refused, or wait for what becomes of the one; undefined when they are sent. */
    problem,
    /**
     * The backend was seen to respond by other means: requests are sent to it again. If these fail, the next pause is the longer
     * one all the same.
     */
    responded: () => circuit.close(false),
    async run(work: () => Promise<BackendResult>): Promise<BackendResult> {
      const isTry = circuit.isOpen();
      if (isTry && (isTrying || circuit.waitMs() > 0))
        return failure("open", `${problem() ?? ""}; retrying soon`);
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
