/** The API server refused the request. */
export class ApiError extends Error {
  /** The HTTP status code, or the one that the Status object in a watch names. */
  readonly code: number;
  /** The machine-readable reason ("NotFound", "Conflict", "Expired"), "" when the server gave none. */
  readonly reason: string;
  /** The Retry-After of the response. */
  readonly retryAfterMs: number | undefined;
  /** The Status object of the response, or its text when it is none. */
  readonly status: unknown;

  constructor(
    from: Pick<ApiError, "code" | "reason" | "message"> & Partial<Pick<ApiError, "retryAfterMs" | "status">>,
  ) {
    super(from.message);
    this.name = "ApiError";
    this.code = from.code;
    this.reason = from.reason;
    this.retryAfterMs = from.retryAfterMs;
    this.status = from.status;
  }
}

/** The API server refused to forward a port: nothing was sent through it. */
export class PortForwardRefusedError extends ApiError {}

/** Why no usable response came. `aborted` is the caller's own doing. */
export type ConnectionFailure =
  | "refused"
  | "reset"
  | "timeout"
  | "tls"
  | "dns"
  | "aborted"
  | "too_large"
  | "bad_response"
  | "closed"
  | "credentials"
  | "other";

/** No usable response came from the API server: whether it carried the request out is not known. */
export class ConnectionError extends Error {
  readonly kind: ConnectionFailure;

  constructor(kind: ConnectionFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ConnectionError";
    this.kind = kind;
  }
}

/** The server's Retry-After in milliseconds; undefined when it sent none. */
export function retryAfterOf(error: unknown): number | undefined {
  return error instanceof ApiError ? error.retryAfterMs : undefined;
}

/** The object, or the resource itself, is not there (404). */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404;
}

/** Another client wrote or created the object meanwhile (409). */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 409;
}

/** The wanted version of a list or watch is no longer there: start over with a list. */
export function isExpired(error: unknown): boolean {
  return (
    error instanceof ApiError && (error.code === 410 || error.reason === "Expired" || error.reason === "Gone")
  );
}
