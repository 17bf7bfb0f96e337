import { ApiError } from "../api-error.ts";

interface WireStatus {
  readonly kind?: unknown;
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly details?: { readonly retryAfterSeconds?: unknown } | null;
}

/** An ApiError from what a server sent: a Status object, or anything else. */
export function apiErrorOf(
  body: unknown,
  o: { readonly code: number; readonly what: string; readonly retryAfterMs?: number | undefined },
): ApiError {
  if (!isStatus(body)) {
    const text = typeof body === "string" ? body.trim().slice(0, 1024) : "";
    return new ApiError({
      code: o.code,
      reason: "",
      message: text === "" ? `${o.what}: HTTP ${String(o.code)}` : text,
      retryAfterMs: o.retryAfterMs,
      status: body,
    });
  }
  const seconds = body.details?.retryAfterSeconds;
  return new ApiError({
    code: typeof body.code === "number" && body.code > 0 ? body.code : o.code,
    reason: typeof body.reason === "string" ? body.reason : "",
    message:
      typeof body.message === "string" && body.message !== ""
        ? body.message
        : `${o.what}: HTTP ${String(o.code)}`,
    retryAfterMs: o.retryAfterMs ?? (typeof seconds === "number" && seconds > 0 ? seconds * 1000 : undefined),
    status: body,
  });
}

/** What a response that is no success says, given its text. */
export function errorFromResponse(o: {
  readonly code: number;
  readonly text: string;
  readonly what: string;
  readonly retryAfterMs: number | undefined;
}): ApiError {
  let body: unknown = o.text;
  try {
    body = JSON.parse(o.text) as unknown;
  } catch {
    // Then the text itself is all there is.
  }
  return apiErrorOf(isStatus(body) ? body : o.text, o);
}

function isStatus(body: unknown): body is WireStatus {
  return typeof body === "object" && body !== null && (body as WireStatus).kind === "Status";
}
