// What comes of a request to a backend.

/** An answer of a backend, as it came: its body is handed on byte for byte. */
export interface BackendAnswer {
  readonly ok: true;
  readonly code: number;
  readonly contentType: string;
  /** Of a 429 only, in seconds. */
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

/**
 * Why there is no answer to hand on: it could not be reached; it took too long; its answer is not handed on; too many
 * requests are in flight to it; nothing is sent to it for now; the request came from another adapter; its caller left.
 */
export type FailureKind = "unreachable" | "timeout" | "refused" | "busy" | "open" | "loop" | "canceled";

/** No answer; the message names no backend. */
export interface BackendFailure {
  readonly ok: false;
  readonly kind: FailureKind;
  readonly message: string;
}

/** An answer, or why there is none. */
export type BackendResult = BackendAnswer | BackendFailure;

/** A failure of this kind. */
export function failure(kind: FailureKind, message: string): BackendFailure {
  return { ok: false, kind, message };
}
