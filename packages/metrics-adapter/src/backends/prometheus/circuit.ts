// A circuit breaker for queries to Prometheus.
import { backoffMs, type Clock } from "@plimsoll/component-base";
import { type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";

/**
 * Sends nothing to a Prometheus that cannot be reached: callers learn so at once instead of after a timeout each. A
 * query that times out says nothing about the others, and leaves the circuit closed.
 */
export interface Circuit {
  /** Rejects with PrometheusError unreachable, without running the work, while the circuit is open. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Whether requests are refused, or wait for a probe. */
  isOpen(): boolean;
}

export interface CircuitOptions {
  readonly clock: Clock;
  /** A cheap request, to learn after a pause whether Prometheus can be reached. */
  readonly probe: () => Promise<unknown>;
  /** How many times in a row it cannot be reached; requests that fail together are one time. */
  readonly failures?: number;
  /** How long nothing is sent then; doubles each time the probe after it fails too. */
  readonly minPauseMs?: number;
  readonly maxPauseMs?: number;
}

/** Evaluated at once where Prometheus evaluates anything, so that it shows whether it can be reached. */
const PROBE = "vector(1)";
const PROBE_TIMEOUT_MS = 2_000;

/** For all requests to one Prometheus. */
export function createPrometheusCircuit(prometheus: Pick<PrometheusClient, "query">, clock: Clock): Circuit {
  return createCircuit({ clock, probe: () => prometheus.query(PROBE, { timeoutMs: PROBE_TIMEOUT_MS }) });
}

export function createCircuit(options: CircuitOptions): Circuit {
  const { clock, failures: maxFailures = 3, minPauseMs = 500, maxPauseMs = 8_000 } = options;
  let failures = 0;
  /** Since it was closed. */
  let pauses = 0;
  let closedAtMs = 0;
  let probing: Promise<void> | undefined;
  const close = (): void => {
    failures = 0;
    pauses = 0;
  };

  const pause = (): void => {
    closedAtMs = clock.nowMs() + backoffMs(pauses++, { baseMs: minPauseMs, maxMs: maxPauseMs });
  };

  const probe = async (): Promise<void> => {
    try {
      await options.probe();
      close();
    } catch (error) {
      if (isReached(error)) return close();
      pause();
      throw error;
    }
  };

  const pass = async (): Promise<void> => {
    const waitMs = closedAtMs - clock.nowMs();
    // A clock that was set back must not keep the circuit open for longer than it ever is.
    if (probing === undefined && waitMs > 0 && waitMs <= maxPauseMs) {
      const message = `${failures} times in a row it could not be reached, the next try comes soon`;
      throw new PrometheusError("unreachable", message, { retryAfterMs: Math.max(1, waitMs) });
    }
    probing ??= probe().finally(() => {
      probing = undefined;
    });
    await probing;
  };

  return {
    isOpen: () => failures >= maxFailures,
    async run(work) {
      if (failures >= maxFailures) await pass();
      const failuresBefore = failures;
      try {
        const result = await work();
        close();
        return result;
      } catch (error) {
        if (isReached(error)) close();
        else if (isUnreached(error) && failures === failuresBefore) {
          failures += 1;
          if (failures === maxFailures) pause();
        }
        throw error;
      }
    },
  };
}

/** Whether an error came from Prometheus itself; a timeout says neither. */
function isReached(error: unknown): boolean {
  return error instanceof PrometheusError && error.kind !== "timeout" && error.kind !== "unreachable";
}

function isUnreached(error: unknown): boolean {
  return error instanceof PrometheusError && error.kind === "unreachable";
}
