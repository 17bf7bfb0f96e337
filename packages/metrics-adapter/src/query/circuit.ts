import type { Clock } from "@plimsoll/kube";
import { PrometheusError } from "@plimsoll/prometheus";

/** Stops asking a Prometheus that does not answer: callers are told at once instead of after a timeout each. */
export interface Circuit {
  /** Rejects with PrometheusError unreachable, without running the work, while the circuit is open. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export interface CircuitOptions {
  readonly clock: Clock;
  /** How many requests in a row have to fail. */
  readonly failures?: number;
  /** How long nothing is asked then; doubles each time the try after it fails too. */
  readonly pauseMs?: number;
  readonly longestPauseMs?: number;
}

export function createCircuit(options: CircuitOptions): Circuit {
  const { clock } = options;
  const allowed = options.failures ?? 5;
  const shortestMs = options.pauseMs ?? 500;
  const longestMs = options.longestPauseMs ?? 8_000;
  let failures = 0;
  let pauseMs = 0;
  let closedAtMs = 0;
  let isTrying = false;

  const onFailure = (): void => {
    failures += 1;
    if (failures < allowed) return;
    pauseMs = pauseMs === 0 ? shortestMs : Math.min(longestMs, pauseMs * 2);
    closedAtMs = clock.nowMs() + pauseMs;
  };

  return {
    async run(work) {
      const isOpen = failures >= allowed;
      const waitMs = closedAtMs - clock.nowMs();
      // A clock that was set back must not keep the circuit open for longer than it ever is.
      if (isOpen && (isTrying || (waitMs > 0 && waitMs <= longestMs))) {
        const message = `${failures} requests in a row went without an answer, the next try comes soon`;
        throw new PrometheusError("unreachable", message, { retryAfterMs: Math.max(1, waitMs) });
      }
      isTrying = isOpen;
      try {
        const result = await work();
        failures = 0;
        pauseMs = 0;
        return result;
      } catch (error) {
        if (isUnanswered(error)) onFailure();
        else if (error instanceof PrometheusError) failures = 0;
        throw error;
      } finally {
        if (isOpen) isTrying = false;
      }
    },
  };
}

function isUnanswered(error: unknown): boolean {
  return error instanceof PrometheusError && (error.kind === "unreachable" || error.kind === "timeout");
}
