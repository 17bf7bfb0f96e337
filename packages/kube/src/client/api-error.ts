import { messageOf } from "@plimsoll/component-base";
import { publicText } from "@plimsoll/core/redact";
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

/** No usable response came from the API server: whether it carried the request out is unknown. */
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

/** An object of this name is there already: a quota or a webhook answers 409 for other reasons. */
export function isAlreadyExists(error: unknown): boolean {
  return isConflict(error) && (error as ApiError).reason === "AlreadyExists";
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

/** The text of a failure as upstream's clients would print it. */
export function apiErrorText(error: unknown, path?: string): string {
  if (error instanceof ApiError && error.code === 404 && path !== undefined && !hasStatus(error))
    return `the server could not find the requested resource (get ${groupResourceOf(path)})`;
  return messageOf(error);
}

/** More than any condition or event has room for. */
const maxExamined = 16 * 1024;

/** The same for a condition, an event or a status, which tenants read: without addresses of servers. */
export function publicErrorText(error: unknown, path?: string): string {
  return publicText(apiErrorText(error, path).slice(0, maxExamined));
}

/** A Status object in the body has a message; "404 page not found" has none. */
function hasStatus(error: ApiError): boolean {
  return typeof error.status === "object" && error.status !== null;
}

/** "/apis/GROUP/VERSION/namespaces/NS/RESOURCE/…" → "RESOURCE.GROUP". */
function groupResourceOf(path: string): string {
  const [, root, group, , , , resource] = path.split("/");
  return root === "apis" ? `${resource ?? ""}.${group ?? ""}` : path;
}
