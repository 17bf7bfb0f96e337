// One request to a backend over a connection of its pool, and its bounded answer.
import type { ClientRequest, IncomingMessage } from "node:http";
import { type Agent, request as sendRequest } from "node:https";
import type { ResponseMemory } from "@plimsoll/kube";
import { acceptAnswer, maxHeaders, tooLong } from "./accepted-answer.ts";
import { type BackendResult, failure } from "./answer.ts";

/** What is sent, and where. */
export interface Exchange {
  readonly agent: Agent;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly maxAnswerBytes: number;
  /** For large answers in flight together. */
  readonly memory: ResponseMemory;
  /** Its reason is a BackendResult where we end it. */
  readonly signal: AbortSignal;
}

const maxHeaderBytes = 16 * 1024;
/** A server sends 100 or 103 once, if at all. */
const maxInterim = 4;
const smallBytes = 256 * 1024;

/** Sends one request. Never rejects. A connection that was closed while it was idle is tried once more. */
export async function exchange(options: Exchange): Promise<BackendResult> {
  const first = await tryOnce(options);
  return first === "stale" ? orUnreachable(await tryOnce(options)) : first;
}

function orUnreachable(result: BackendResult | "stale"): BackendResult {
  return result === "stale"
    ? failure("unreachable", "its connections are closed as soon as they are used")
    : result;
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
    refuseOthers(request, (message) => end(failure("refused", message)));
    request.on("response", (response) => {
      readAnswer(response, options).then(end, (error: unknown) =>
        end(failure("refused", `its answer broke off: ${textOf(error)}`)),
      );
    });
    signal.addEventListener("abort", onAbort);
    request.end();
  });
}

/** Upgrades, and more interim answers than a server needs. */
function refuseOthers(request: ClientRequest, refuse: (message: string) => void): void {
  request.on("upgrade", (_response, socket) => {
    socket.destroy();
    refuse("it wants to upgrade the connection");
  });
  let interim = 0;
  request.on("information", () => {
    interim += 1;
    if (interim > maxInterim) refuse(`it sent more than ${maxInterim} interim answers (1xx)`);
  });
}

/** Its parts as they come. @throws when the connection breaks. */
async function readAnswer(
  response: IncomingMessage,
  { maxAnswerBytes, memory }: Exchange,
): Promise<BackendResult> {
  const acceptance = acceptAnswer(response, maxAnswerBytes);
  if (!acceptance.ok) return failure("refused", acceptance.message);
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
      if (size > maxBytes) return failure("refused", tooLong(maxBytes));
      chunks.push(chunk);
      if (size > smallBytes) share.grow(chunk.length);
    }
  } catch (error) {
    if (isDropped) return failure("busy", "the largest of too many large answers at once");
    throw error;
  } finally {
    share.leave();
  }
  if (!response.complete) throw new Error("it ended early");
  const { statusCode: code = 0, headers } = response;
  const retryAfter = code === 429 ? readRetryAfter(headers["retry-after"]) : undefined;
  return { ok: true, code, contentType, retryAfter, body: Buffer.concat(chunks, size) };
}

function readRetryAfter(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{1,4}$/.test(text) ? text : undefined;
}

/** Failures of the connection; those of the answer's form come from a backend that was reached. */
function problemOf(error: NodeJS.ErrnoException, request: ClientRequest): BackendResult | "stale" {
  const { code = "" } = error;
  if (code.startsWith("HPE_")) return failure("refused", `its answer is not HTTP: ${textOf(error)}`);
  const isCut = code === "ECONNRESET" || code === "EPIPE";
  if (isCut && request.reusedSocket) return "stale";
  return failure("unreachable", textOf(error));
}

/** An error of several addresses has no message of its own. */
function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return textOf(error.errors[0]);
  const message = error instanceof Error ? error.message : String(error);
  return message.slice(0, 200);
}
