// One HTTP exchange with limits of time and bytes.
import { certificateText } from "@plimsoll/core/internal/values";
import {
  type Body,
  type BodyLimits,
  type ListReading,
  type ResponseBudget,
  type ResponseMemory,
  readBody,
  readStart,
} from "./body.ts";
import { PrometheusError } from "./errors.ts";

/** What is sent: a part of the RequestInit of fetch. */
export interface FetchInit {
  readonly method: "GET" | "POST";
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** The sender follows those to the same host: others would carry the credentials to another place. */
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

/** Time and timers: what a request takes of a clock. */
export interface RequestClock {
  /** In milliseconds since 1970. */
  nowMs(): number;
  /** In milliseconds since any instant, for durations: it is never set; absent: the other one is not either. */
  steadyMs?(): number;
  /** Calls `run` once, after `delayMs`; returns what cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

/** The wall clock and the timers of the runtime. */
export const runtimeClock: RequestClock = {
  nowMs: () => Date.now(),
  steadyMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The time since then, whatever becomes of the wall clock. */
export function stopwatch(clock: RequestClock): () => number {
  const nowMs = (): number => clock.steadyMs?.() ?? clock.nowMs();
  const startedMs = nowMs();
  return () => Math.max(0, Math.floor(nowMs() - startedMs));
}

/** Why a signal aborts after the end of its request: without a reason each one makes an exception with its stack. */
const isOver = new Error("the request has ended");

const STALE_MS = 1_000;

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
  /** Of its namespace: `memory` instead of the above, and no more than `maxBytes` of both. */
  readonly budget?: ResponseBudget | undefined;
  /** Read item by item when the response is large; undefined: in one piece. */
  readonly list?: ListReading<unknown> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A complete response. */
export interface ExchangeResult extends Body {
  readonly status: number;
  readonly retryAfterMs: number | undefined;
  readonly location: string | undefined;
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
  let givenUp: string | undefined;
  let isRead = false;
  const giveUp = (why: string): void => {
    givenUp = why;
    controller.abort();
  };
  const limits = { ...limitsOf(options, giveUp), signal: controller.signal };
  const cancelTimeout = options.clock.after(options.timeoutMs, () => {
    isLate = true;
    controller.abort();
  });
  try {
    const response = await fetchOnce(options, controller.signal);
    const isFailure = response.status < 200 || response.status > 299;
    const body = await (isFailure
      ? readStart(response.body, MOST_FAILURE_BYTES)
      : readBody(response.body, limits));
    // What is decoded may end before its response does.
    isRead = !isFailure && response.headers.get("content-encoding") === null;
    return {
      status: response.status,
      retryAfterMs: parseRetryAfter(response.headers.get("retry-after"), options.clock.nowMs()),
      location: response.headers.get("location") ?? undefined,
      ...body,
    };
  } catch (error) {
    options.signal?.throwIfAborted();
    const cause = { cause: error };
    if (isLate)
      throw new PrometheusError("timeout", `no complete response within ${options.timeoutMs} ms`, cause);
    if (givenUp !== undefined) throw new PrometheusError("too_large", givenUp, cause);
    throw error instanceof PrometheusError ? error : networkError(error);
  } finally {
    cancelTimeout();
    options.signal?.removeEventListener("abort", onAbort);
    // Frees the socket of a response that was not read to its end.
    if (!isRead) controller.abort(isOver);
  }
}

function limitsOf(
  { budget, list, maxBytes, responseMemory }: ExchangeOptions,
  giveUp: (why: string) => void,
): Omit<BodyLimits, "signal"> {
  const memory = budget?.memory ?? responseMemory;
  return {
    maxBytes: Math.min(budget?.maxBytes ?? maxBytes, maxBytes),
    namespace: budget?.namespace,
    list,
    enter: () => memory?.enter((why = "the largest of too many large responses at once") => giveUp(why)),
  };
}

async function fetchOnce(options: ExchangeOptions, signal: AbortSignal): Promise<FetchResponse> {
  const init: FetchInit = {
    method: options.method,
    headers: options.headers,
    ...(options.body === undefined ? {} : { body: options.body }),
    signal,
    redirect: "manual",
  };
  const spentMs = stopwatch(options.clock);
  try {
    return await options.fetch(options.url, init);
  } catch (error) {
    // A kept-alive connection that the server has just closed fails like this, and at once. Reads are safe to repeat
    // once. What fails later may still be evaluated.
    const isStale = errorCode(error) === "ECONNRESET" && spentMs() < STALE_MS;
    if (signal.aborted || !isStale) throw error;
    return await options.fetch(options.url, init);
  }
}

function networkError(error: unknown): PrometheusError {
  const code = errorCode(error);
  const reason = reasonOf(error) || (code ?? "no connection");
  const message = certificateText(code, reason, "tls.caFile of the source, or --prometheus-ca-file");
  const cause = { cause: error };
  if (code?.startsWith("Z_") !== true)
    return new PrometheusError("unreachable", message, { ...cause, isUnsent: isUnsent(error) });
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

/** Whether a name was not found, or a connection not made. node-fetch calls it so. */
function isUnsent(error: unknown): boolean {
  if (!(error instanceof Error) || !("erroredSysCall" in error)) return false;
  return error.erroredSysCall === "connect" || error.erroredSysCall === "getaddrinfo";
}

/** Seconds or an HTTP date; anything else, or a time gone by, is no hint. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) || at <= nowMs ? undefined : at - nowMs;
}
