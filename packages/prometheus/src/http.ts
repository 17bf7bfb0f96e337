// One HTTP exchange with limits of time and bytes.
import { PrometheusError } from "./errors.ts";

/** What is sent: a part of the RequestInit of fetch. */
export interface FetchInit {
  readonly method: "GET" | "POST";
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Redirects are never followed: they would carry the credentials to another place. */
  readonly redirect: "manual";
}

/** What is read of a response: a part of the Response of fetch. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** The decoded bytes, as they arrive. */
  readonly body: AsyncIterable<Uint8Array | string> | null;
}

const MOST_FAILURE_BYTES = 64 * 1024;

/** The one seam to the network. Node's own fetch fits it too. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** Memory that large responses in flight share: of those that do not fit together the largest is aborted. */
export interface ResponseMemory {
  /** `giveUp` ends the reading of this response. */
  enter(giveUp: () => void): { grow(bytes: number): void; leave(): void };
}

/** Time and timers: what a request takes of a clock. */
export interface RequestClock {
  /** In milliseconds since 1970. */
  nowMs(): number;
  /** Calls `run` once, after `delayMs`; returns what cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

/** The wall clock and the timers of the runtime. */
export const runtimeClock: RequestClock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Why a signal aborts after the end of its request: without a reason each one makes an exception with its stack. */
const isOver = new Error("the request is over");

/** Shorter responses do not count. */
const SMALL_BYTES = 256 * 1024;

/** One request, and the limits of its response. */
export interface ExchangeOptions {
  readonly fetch: FetchLike;
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /** Bounds everything from the connection to the last byte. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly clock: RequestClock;
  readonly responseMemory?: ResponseMemory | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A complete response. */
export interface ExchangeResult {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly location: string | undefined;
  readonly text: string;
}

/**
 * One request and its whole response.
 * @throws PrometheusError unreachable, timeout, too_large or bad_response (an encoding that cannot be undone);
 * the signal's reason when the caller aborted.
 */
export async function exchange(options: ExchangeOptions): Promise<ExchangeResult> {
  options.signal?.throwIfAborted();
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", onAbort, { once: true });
  let isLate = false;
  let isGivenUp = false;
  let isRead = false;
  const enter = () =>
    options.responseMemory?.enter(() => {
      isGivenUp = true;
      controller.abort();
    });
  const cancelTimeout = options.clock.after(options.timeoutMs, () => {
    isLate = true;
    controller.abort();
  });
  try {
    const response = await fetchOnce(options, controller.signal);
    const isFailure = response.status < 200 || response.status > 299;
    const text = await (isFailure
      ? readStart(response.body, MOST_FAILURE_BYTES)
      : readText(response.body, options.maxBytes, enter));
    // What is decoded may end before its response does.
    isRead = !isFailure && response.headers.get("content-encoding") === null;
    return {
      status: response.status,
      retryAfterMs: parseRetryAfter(response.headers.get("retry-after"), options.clock.nowMs()),
      location: response.headers.get("location") ?? undefined,
      text,
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    const cause = { cause: error };
    if (isLate)
      throw new PrometheusError("timeout", `no complete response within ${options.timeoutMs} ms`, cause);
    if (isGivenUp)
      throw new PrometheusError("too_large", "the largest of too many large responses at once", cause);
    throw error instanceof PrometheusError ? error : networkError(error);
  } finally {
    cancelTimeout();
    options.signal?.removeEventListener("abort", onAbort);
    // Frees the socket of a response that was not read to its end.
    if (!isRead) controller.abort(isOver);
  }
}

async function fetchOnce(options: ExchangeOptions, signal: AbortSignal): Promise<FetchResponse> {
  const init: FetchInit = {
    method: options.method,
    headers: options.headers,
    ...(options.body === undefined ? {} : { body: options.body }),
    signal,
    redirect: "manual",
  };
  try {
    return await options.fetch(options.url, init);
  } catch (error) {
    // A kept-alive connection that the server has just closed fails like this. Reads are safe to repeat once.
    if (signal.aborted || errorCode(error) !== "ECONNRESET") throw error;
    return await options.fetch(options.url, init);
  }
}

async function readText(
  body: FetchResponse["body"],
  maxBytes: number,
  enter: () => ReturnType<ResponseMemory["enter"]> | undefined,
): Promise<string> {
  let place: ReturnType<typeof enter>;
  try {
    const bytes = await collect(body, (size, added) => {
      if (size > maxBytes)
        throw new PrometheusError("too_large", `the response is larger than ${maxBytes} bytes`);
      if (place !== undefined) place.grow(added);
      else if (size > SMALL_BYTES) {
        place = enter();
        place?.grow(size);
      }
      return true;
    });
    return bytes.toString("utf8");
  } finally {
    place?.leave();
  }
}

/** Of an error response only the start is read. */
async function readStart(body: FetchResponse["body"], maxBytes: number): Promise<string> {
  const bytes = await collect(body, (size) => size < maxBytes);
  return bytes.subarray(0, maxBytes).toString("utf8");
}

/** The bytes as long as `goesOn`, which gets how many there are and how many of these have just come. */
async function collect(
  body: FetchResponse["body"],
  goesOn: (size: number, added: number) => boolean,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const raw of body ?? []) {
    const chunk = typeof raw === "string" ? Buffer.from(raw) : raw;
    size += chunk.byteLength;
    chunks.push(chunk);
    if (!goesOn(size, chunk.byteLength)) break;
  }
  return Buffer.concat(chunks, size);
}

function networkError(error: unknown): PrometheusError {
  const code = errorCode(error);
  const message = reasonOf(error) || (code ?? "no connection");
  const cause = { cause: error };
  if (code?.startsWith("Z_") !== true) return new PrometheusError("unreachable", message, cause);
  return new PrometheusError("bad_response", `the response cannot be decompressed: ${message}`, cause);
}

/** A client may repeat the whole URL in its message, query included; only what follows says why. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const marker = "failed, reason:";
  const start = message.indexOf(marker);
  return start < 0 ? message : message.slice(start + marker.length).trim();
}

function errorCode(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ("code" in at && typeof at.code === "string") return at.code;
  }
  return undefined;
}

/** Seconds or an HTTP date; anything else, or a time gone by, is no hint. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) || at <= nowMs ? undefined : at - nowMs;
}
