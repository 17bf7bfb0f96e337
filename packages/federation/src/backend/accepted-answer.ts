// Which answers of a backend are read at all: decided by status and headers, before a byte of the body.
import type { IncomingMessage } from "node:http";

/** More headers than any adapter has. */
export const maxHeaders = 100;
/** Errors that are no Status are short texts. */
const maxTextBytes = 16 * 1024;

/** How much of the body is read, or why it is not. */
export type Acceptance =
  | { readonly ok: true; readonly maxBytes: number; readonly contentType: string }
  | { readonly ok: false; readonly message: string };

/** Decides by what comes before the body. */
export function acceptAnswer(response: IncomingMessage, maxAnswerBytes: number): Acceptance {
  const { statusCode = 0, headers, rawHeaders } = response;
  if (rawHeaders.length / 2 > maxHeaders) return refuse(`its answer has more than ${maxHeaders} headers`);
  if (statusCode === 401) return refuse("it does not accept the token of our service account (401)");
  if (statusCode >= 300 && statusCode < 400)
    return refuse(`it answered ${statusCode}: redirects are not followed`);
  if (statusCode < 200 || statusCode > 599) return refuse(`it answered ${statusCode}`);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity")
    return refuse(
      `its answer is encoded (${JSON.stringify(encoding.slice(0, 40))}), which was not requested`,
    );
  const contentType = headers["content-type"] ?? "";
  const maxBytes = maxBytesOf(contentType, statusCode, maxAnswerBytes);
  if (maxBytes === undefined)
    return refuse(`its answer (${statusCode}) is ${JSON.stringify(contentType.slice(0, 80))} and not JSON`);
  const length = Number(headers["content-length"] ?? 0);
  if (length > maxBytes) return refuse(tooLong(maxBytes));
  return { ok: true, maxBytes, contentType };
}

/** In words that are the same however the length is found out. */
export function tooLong(maxBytes: number): string {
  return `its answer has more than ${maxBytes} bytes`;
}

function maxBytesOf(contentType: string, statusCode: number, maxAnswerBytes: number): number | undefined {
  if (/[^\t\x20-\x7e]/.test(contentType) || contentType.length > 256) return undefined;
  const type = contentType.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") return maxAnswerBytes;
  // What Go's servers write where they make no Status.
  return type === "text/plain" && statusCode >= 400 ? maxTextBytes : undefined;
}

function refuse(message: string): Acceptance {
  return { ok: false, message };
}
