// A circuit breaker for queries to Prometheus.
import { type Clock, createCircuitState } from "@plimsoll/component-base";
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
  /** How long nothing is sent then; doubles each time the probe after it fails too. One that was restarted is used within a second. */
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
  const { clock, failures = 3, minPauseMs: baseMs = 500, maxPauseMs: maxMs = 1_000 } = options;
  const circuit = createCircuitState(clock, { failures, baseMs, maxMs });
  /** Of the last failure. */
  let cause = "";
  let probing: Promise<void> | undefined;

  const probe = async (): Promise<void> => {
    try {
      await options.probe();
      circuit.close(true);
    } catch (error) {
      if (isReached(error)) return circuit.close(true);
      if (isUnreached(error)) cause = error.message;
      circuit.pause();
      throw error;
    }
  };

  const pass = async (): Promise<void> => {
    const waitMs = circuit.waitMs();
    if (probing === undefined && waitMs > 0) {
      const message = `it could not be reached ${circuit.failures} times in a row (${cause}); retrying soon`;
      throw new PrometheusError("unreachable", message, { retryAfterMs: Math.max(1, waitMs) });
    }
    probing ??= probe().finally(() => {
      probing = undefined;
    });
    await probing;
  };

  return {
    isOpen: circuit.isOpen,
    async run(work) {
      if (circuit.isOpen()) await pass();
      const failuresBefore = circuit.failures;
      try {
        const result = await work();
        circuit.close(true);
        return result;
      } catch (error) {
        if (isReached(error)) circuit.close(true);
        // The next request probes: what fails may be one tenant's queries, which a proxy cuts off.
        else if (isUnreached(error)) {
          cause = error.message;
          if (circuit.failures === failuresBefore) circuit.fail();
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

function isUnreached(error: unknown): error is PrometheusError {
  return error instanceof PrometheusError && error.kind === "unreachable";
}
