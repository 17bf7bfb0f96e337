/**
 * What went wrong with a request to Prometheus.
 * - `unreachable`: no connection, or it broke before the response was complete.
 * - `timeout`: the deadline passed, here or in Prometheus.
 * - `bad_data`: Prometheus refused the request as malformed (its error type bad_data, or another 4xx).
 * - `execution`: the query was understood and failed (422).
 * - `unauthorized`: 401 or 403: credentials are missing, wrong or not enough.
 * - `rate_limited`: 429; see retryAfterMs.
 * - `server_error`: any 5xx but a timeout.
 * - `bad_response`: not a response of the Prometheus API (HTML, a redirect, broken JSON, a wrong shape).
 * - `too_large`: the decoded body passed the size limit and was dropped.
 */
export type PrometheusErrorKind =
  | "unreachable"
  | "timeout"
  | "bad_data"
  | "execution"
  | "unauthorized"
  | "rate_limited"
  | "server_error"
  | "bad_response"
  | "too_large";

/** Any failed request to Prometheus. An abort by the caller is not one: that rejects with the signal's reason. */
export class PrometheusError extends Error {
  override readonly name = "PrometheusError";
  readonly kind: PrometheusErrorKind;
  /** HTTP status, when there was a response. */
  readonly status: number | undefined;
  /** From the Retry-After header. */
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: PrometheusErrorKind,
    message: string,
    options: Partial<Pick<PrometheusError, "status" | "retryAfterMs" | "cause">> = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}
