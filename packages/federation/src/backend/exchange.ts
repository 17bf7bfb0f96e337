// One request to a backend over a connection of its pool, and its bounded answer.
import type { ClientRequest, IncomingMessage } from "node:http";
import { type Agent, request as sendRequest } from "node:https";
import { certificateText } from "@plimsoll/core/internal/values";
import { type ResponseMemory, smallBytes } from "@plimsoll/kube";
import { type BackendFailure, type BackendResult, excess, failure } from "./answer.ts";

/** What is sent, and where. */
export interface Exchange {
  readonly agent: Agent;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxAnswerBytes: number;
  /** Gets an answer with 200 in parts, in place of in its body. What it throws is why the answer is refused. */
  readonly onPart?: ((part: Uint8Array) => void) | undefined;
  /** For large answers in flight together. */
  readonly memory: ResponseMemory;
  /** Its reason is a BackendResult where we end it. */
  readonly signal: AbortSignal;
}

const maxHeaderBytes = 16 * 1024;
/** A server sends 100 or 103 once, if at all. */
const maxInterim = 4;

/** Sends one request. Never rejects. A connection that was closed while it was idle is tried once more. */
export async function exchange(options: Exchange): Promise<BackendResult> {
  const first = await tryOnce(options);
  return first === "stale" ? orUnreachable(await tryOnce(options)) : first;
}

function orUnreachable(result: BackendResult | "stale"): BackendResult {
  return result === "stale" ? failure("unreachable", "it closes connections immediately") : result;
}

function tryOnce(options: Exchange): Promise<BackendResult | "stale"> {
  const { agent, host, port, path, headers, signal } = options;
  if (signal.aborted) return Promise.resolve(signal.reason as BackendResult);
  return new Promise((resolve) => {
    const end = (result: BackendResult | "stale"): void => {
      signal.removeEventListener("abort", onAbort);
      resolve(result);
      // The rest of an answer that is not wanted is not read, and its connection is not used again.
      if (result === "stale" || !result.ok) request.destroy();
    };
    const onAbort = (): void => end(signal.reason as BackendResult);
    const request = sendRequest({
      agent,
      host,
      port,
      path,
      headers,
      method: "GET",
      maxHeaderSize: maxHeaderBytes,
    });
    request.maxHeadersCount = maxHeaders + 1;
    request.on("error", (error: NodeJS.ErrnoException) => end(problemOf(error, request)));
    refuseOthers(request, end);
    request.on("response", (response) => {
      readAnswer(response, options).then(end, (error: unknown) =>
        end(failure("refused", `its response was cut off: ${textOf(error)}`)),
      );
    });
    signal.addEventListener("abort", onAbort);
    request.end();
  });
}

/** Upgrades, and more interim answers than a server needs. */
function refuseOthers(request: ClientRequest, end: (result: BackendResult) => void): void {
  request.on("upgrade", (_response, socket) => {
    socket.destroy();
    end(failure("refused", "it asked to upgrade the connection"));
  });
  let interim = 0;
  request.on("information", () => {
    interim += 1;
    if (interim > maxInterim) end(excess(`it sent more than ${maxInterim} interim responses (1xx)`));
  });
}

/** Its parts as they come. @throws when the connection breaks. */
async function readAnswer(
  response: IncomingMessage,
  { maxAnswerBytes, memory, onPart }: Exchange,
): Promise<BackendResult> {
  const acceptance = acceptAnswer(response, maxAnswerBytes);
  if (!acceptance.ok) return acceptance;
  const { maxBytes, contentType } = acceptance;
  const chunks: Buffer[] = [];
  let size = 0;
  let isDropped = false;
  const share = memory.enter(() => {
    isDropped = true;
    response.destroy();
  });
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return excess(tooLong(maxBytes));
      if (onPart !== undefined && response.statusCode === 200) {
        const problem = problemOfPart(onPart, chunk);
        if (problem !== undefined) return excess(problem);
        continue;
      }
      chunks.push(chunk);
      if (size > smallBytes) share.grow(chunk.length);
    }
  } catch (error) {
    if (isDropped) return failure("busy", "the largest of too many large responses at once");
    throw error;
  } finally {
    share.leave();
  }
  if (!response.complete) throw new Error("it ended early");
  const { statusCode: code = 0, headers } = response;
  const retryAfter = code === 429 ? readRetryAfter(headers["retry-after"]) : undefined;
  return { ok: true, code, contentType, retryAfter, body: Buffer.concat(chunks) };
}

function problemOfPart(onPart: (part: Uint8Array) => void, part: Uint8Array): string | undefined {
  try {
    onPart(part);
    return undefined;
  } catch (error) {
    return textOf(error);
  }
}

function readRetryAfter(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{1,4}$/.test(text) ? text : undefined;
}

/** Failures of the connection; those of the answer's form come from a backend that was reached. */
function problemOf(error: NodeJS.ErrnoException, request: ClientRequest): BackendResult | "stale" {
  const { code = "" } = error;
  if (code.startsWith("HPE_")) {
    const refuse = code === "HPE_HEADER_OVERFLOW" ? excess : failure.bind(undefined, "refused");
    return refuse(`its response is not HTTP: ${textOf(error)}`);
  }
  const isCut = code === "ECONNRESET" || code === "EPIPE";
  if (isCut && request.reusedSocket) return "stale";
  return failure("unreachable", certificateText(code, textOf(error), "caBundleFile"));
}

/** An error of several addresses has no message of its own. */
function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return textOf(error.errors[0]);
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(0, 200);
}

/** More headers than any adapter has. */
const maxHeaders = 100;
/** Errors are short: a Status, or the text of a server that makes none. */
const maxErrorBytes = 64 * 1024;
const maxTextBytes = 16 * 1024;

/** How much of the body is read, or why it is not. */
type Acceptance =
  | { readonly ok: true; readonly maxBytes: number; readonly contentType: string }
  | BackendFailure;

/** Adapters answer so, too, while the API server that reviews tokens is away. */
const tokenRefused =
  "it returned 401: it rejects the adapter's token, or can't reach the API server to check it";

/** Decides by what comes before the body. */
function acceptAnswer(response: IncomingMessage, maxAnswerBytes: number): Acceptance {
  const { statusCode = 0, headers, rawHeaders } = response;
  if (rawHeaders.length / 2 > maxHeaders) return excess(`its response has more than ${maxHeaders} headers`);
  if (statusCode === 401) return { ...refuse(tokenRefused), isTokenRefused: true };
  if (statusCode >= 300 && statusCode < 400)
    return refuse(`it returned ${statusCode}: redirects are not followed`);
  if (statusCode < 200 || statusCode > 599) return refuse(`it returned ${statusCode}`);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity")
    return refuse(
      `its response is encoded (${JSON.stringify(encoding.slice(0, 40))}), which was not requested`,
    );
  const contentType = headers["content-type"] ?? "";
  const maxBytes = maxBytesOf(contentType, statusCode, maxAnswerBytes);
  if (maxBytes === undefined)
    return refuse(`its response (${statusCode}) is ${JSON.stringify(contentType.slice(0, 80))} and not JSON`);
  const length = Number(headers["content-length"] ?? 0);
  if (length > maxBytes) return excess(tooLong(maxBytes));
  return { ok: true, maxBytes, contentType };
}

/** In words that are the same however the length is found out. */
function tooLong(maxBytes: number): string {
  return `its response has more than ${maxBytes} bytes`;
}

function maxBytesOf(contentType: string, statusCode: number, maxAnswerBytes: number): number | undefined {
  if (/[^\t\x20-\x7e]/.test(contentType) || contentType.length > 256) return undefined;
  const type = contentType.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json")
    return statusCode >= 400 ? Math.min(maxErrorBytes, maxAnswerBytes) : maxAnswerBytes;
  // What Go's servers write where they make no Status.
  return type === "text/plain" && statusCode >= 400 ? maxTextBytes : undefined;
}

function refuse(message: string): BackendFailure {
  return failure("refused", message);
}
