// What comes of a request to a backend.
import { publicText } from "@plimsoll/core/redact";
import { parseBounded } from "./parse-bounded.ts";

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
  /** It was sent, and is far more than adapters send: reading it costs more than a backend that is down. */
  readonly isExcess?: boolean;
  /** It refuses the token: a newer one may be in the file. */
  readonly isTokenRefused?: boolean;
}

/** An answer, or why there is none. */
export type BackendResult = BackendAnswer | BackendFailure;

/** A failure of this kind. */
export function failure(kind: FailureKind, message: string): BackendFailure {
  return { ok: false, kind, message };
}

/** The refusal of an answer without end. */
export function excess(message: string): BackendFailure {
  return { ok: false, kind: "refused", message, isExcess: true };
}

/**
 * A backend may repeat our token in an error, or name the servers that it reads. Values are handed on byte for byte; of an error
 * each text is without secrets and addresses.
 */
export function publicAnswer(answer: BackendAnswer): BackendResult {
  if (answer.code < 400) return answer;
  const text = answer.body.toString("utf8");
  if (!answer.contentType.includes("json")) return withText(answer, text, publicText(text));
  const value = parseBounded(text);
  if (value === undefined) return failure("refused", `its error (${answer.code}) is not JSON`);
  try {
    const shown = JSON.stringify(value, (_key, part: unknown) =>
      typeof part === "string" ? publicText(part) : part,
    );
    return shown === JSON.stringify(value) ? answer : withText(answer, text, shown);
  } catch {
    return failure("refused", `its error (${answer.code}) is nested too deep`);
  }
}

function withText(answer: BackendAnswer, text: string, shown: string): BackendAnswer {
  return shown === text ? answer : { ...answer, body: Buffer.from(shown) };
}
