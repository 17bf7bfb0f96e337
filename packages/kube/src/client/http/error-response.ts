// Reads an ApiError from a response that is not 2xx.

import { redact } from "@plimsoll/core/redact";
import { ProtobufError, readStatusResponse } from "../../protobuf/index.ts";
import { ApiError } from "../api-error.ts";

interface WireStatus {
  readonly kind?: unknown;
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: { readonly retryAfterSeconds?: unknown } | null;
}

/** The response that an error is read from. */
interface Failed {
  readonly code: number;
  readonly what: string;
  readonly retryAfterMs?: number | undefined;
}

/** Of what an error says: all who show it cut it to less. A proxy may repeat what it was sent. */
const maxTextLength = 16 * 1024;

/** An ApiError from what a server sent: a Status object, or anything else. */
export function apiErrorOf(body: unknown, { code, what, retryAfterMs }: Failed): ApiError {
  const fallback = `${what}: HTTP ${String(code)}`;
  if (!isStatus(body)) {
    const text = typeof body === "string" ? redact(body.slice(0, maxTextLength)).trim().slice(0, 1024) : "";
    return new ApiError({ code, reason: "", message: text || fallback, retryAfterMs, status: body });
  }
  const seconds = body.details?.retryAfterSeconds;
  const { message, reason } = body;
  return new ApiError({
    code: typeof body.code === "number" && body.code > 0 ? body.code : code,
    reason: typeof reason === "string" ? reason : "",
    message:
      typeof message === "string" && message !== "" ? redact(message.slice(0, maxTextLength)) : fallback,
    retryAfterMs: retryAfterMs ?? (typeof seconds === "number" && seconds > 0 ? seconds * 1000 : undefined),
    status: body,
  });
}

/** What a response that is no success says. */
export function errorFromBytes(bytes: Buffer, response: Failed & { readonly isProtobuf: boolean }): ApiError {
  if (!response.isProtobuf) return errorFromResponse(bytes.toString("utf8"), response);
  try {
    return apiErrorOf(readStatusResponse(bytes), response);
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    return apiErrorOf(undefined, response);
  }
}

/** The same, given its text. */
export function errorFromResponse(text: string, response: Failed): ApiError {
  let body: unknown = text;
  try {
    body = JSON.parse(text) as unknown;
  } catch {
    // Then the text itself is all there is.
  }
  return apiErrorOf(isStatus(body) ? body : text, response);
}

function isStatus(body: unknown): body is WireStatus {
  return typeof body === "object" && body !== null && (body as WireStatus).kind === "Status";
}
