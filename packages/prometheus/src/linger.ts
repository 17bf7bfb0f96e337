// Leaves a query without closing its connection: only its response says that it has ended.
import { PrometheusError } from "./errors.ts";
import type { RequestClock } from "./http.ts";

/**
 * Keeps the connection of a query whose caller leaves, at its timeout or when its signal aborts. Prometheus ends a
 * query between two steps only, so neither its own timeout nor a closed connection proves that the query has ended.
 */
export interface Linger {
  /** The connection is closed after this time at the latest, counted from the start of the query. */
  readonly maxMs: number;
  /**
   * Called when the caller leaves.
   * @param answered resolves with whether the query has ended: false where the connection ended without a response.
   */
  readonly onLeft: (answered: Promise<boolean>) => void;
}

interface Leaving {
  readonly linger: Linger;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly clock: RequestClock;
}

/** The answer, or the error with which its caller leaves before it comes. */
export function lingering<T>(answer: Promise<T>, { linger, timeoutMs, signal, clock }: Leaving): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
    };
    const leave = (reason: unknown): void => {
      end();
      linger.onLeft(answer.then(() => true, isAnswered));
      reject(reason);
    };
    const onAbort = (): void => leave(signal?.reason);
    const cancel = clock.after(timeoutMs, () =>
      leave(new PrometheusError("timeout", `no complete response within ${timeoutMs} ms`)),
    );
    signal?.addEventListener("abort", onAbort, { once: true });
    answer.finally(end).then(resolve, reject);
  });
}

/**
 * Whether an error shows that Prometheus has ended the query, or has never started it. A gateway that gave up (408,
 * 502, 503, 504), a closed connection and a timeout of our own do not.
 */
export function isAnswered(error: unknown): boolean {
  if (!(error instanceof PrometheusError)) return false;
  if (error.kind === "unreachable") return error.isUnsent;
  const { kind, status } = error;
  if (kind === "timeout") return status !== undefined && status !== 408 && status !== 504;
  return kind !== "server_error" || status === 500;
}
