// A simulated Prometheus: it scrapes the simulated pods and answers the queries of the adapter.

export interface SimulatedPrometheus {
  /** What an HTTP request to its API is answered; see FetchLike of the package prometheus. */
  readonly handle: (
    url: string,
    body: string | undefined,
  ) => Promise<{ readonly code: number; readonly body: string }>;
  /**
   * Whether a series of this metric and object had this value (in milli-units) at its source within the last `maxAgeMs`:
   * every value that is written carries its series in its last digits.
   */
  wasValue(
    series: { readonly metric: string; readonly namespace: string; readonly object: string },
    milli: bigint,
    maxAgeMs: number,
  ): boolean;
}
