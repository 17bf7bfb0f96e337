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

const texts: Readonly<Record<PrometheusErrorKind, string>> = {
  bad_data: "rejected the query",
  execution: "rejected the query",
  unreachable: "cannot be reached",
  timeout: "did not respond in time",
  unauthorized: "rejected the credentials",
  rate_limited: "is limiting requests",
  server_error: "failed",
  bad_response: "sent an invalid response",
  too_large: "sent too much",
};

/** Which server did not do what was asked for, and why. */
export function failureText({ kind, message, source }: PrometheusError): string {
  return `${source === undefined ? "Prometheus" : `the source ${source}`} ${texts[kind]}: ${message}`;
}

/** Any failed request to Prometheus. An abort by the caller is not one: that rejects with the signal's reason. */
export class PrometheusError extends Error {
  override readonly name = "PrometheusError";
  readonly kind: PrometheusErrorKind;
  /** HTTP status, when there was a response. */
  readonly status: number | undefined;
  /** From the Retry-After header. */
  readonly retryAfterMs: number | undefined;
  /** What whoever has several servers calls this one; a client does not know. */
  readonly source: string | undefined;

  /** There was no connection: the server got nothing. */
  readonly isUnsent: boolean;

  constructor(
    kind: PrometheusErrorKind,
    message: string,
    options: Partial<Pick<PrometheusError, "status" | "retryAfterMs" | "source" | "isUnsent" | "cause">> = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.source = options.source;
    this.isUnsent = options.isUnsent === true;
  }
}
