// Credentials that are made for a request, or that end after some time.
import { PrometheusError } from "./errors.ts";
import { type ExchangeOptions, type ExchangeResult, exchange, stopwatch } from "./http.ts";

/** A request, as it is going to be sent. */
export interface RequestToAuthorize {
  readonly method: "GET" | "POST";
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Proves who sends requests, where fixed headers cannot: tokens that expire, signatures. */
export interface RequestAuthorization {
  /** Further headers of this request. @throws Error, whose message holds no secret, when there is no credential */
  headersOf(request: RequestToAuthorize): Promise<Readonly<Record<string, string>>>;
  /** The server refused these headers with 401. @returns whether it is worth to ask for others, once */
  refused(headers: Readonly<Record<string, string>>): boolean;
}

type ExchangeRequest = ExchangeOptions & { readonly signal: AbortSignal };

/** The request with a credential, which is added to its headers; once more with another one where that is refused. */
export async function exchangeAuthorized(
  request: ExchangeRequest,
  authorization: RequestAuthorization,
): Promise<ExchangeResult> {
  const spentMs = stopwatch(request.clock);
  const left = (): number => Math.max(1, request.timeoutMs - spentMs());
  const attempt = async (): Promise<ExchangeResult> => {
    Object.assign(request.headers, await headersInTime(request, left(), authorization));
    return await exchange({ ...request, timeoutMs: left() });
  };
  const result = await attempt();
  if (result.status !== 401 || !authorization.refused(request.headers)) return result;
  return await attempt();
}

/**
 * Others may be waiting for the same credential: it is not aborted.
 * @throws PrometheusError unauthorized or timeout; the signal's reason when the caller aborted
 */
async function headersInTime(
  { method, url, headers, body, clock, signal }: ExchangeRequest,
  timeoutMs: number,
  authorization: RequestAuthorization,
): Promise<Readonly<Record<string, string>>> {
  signal.throwIfAborted();
  let release = (): void => {};
  const inTime = new Promise<Readonly<Record<string, string>>>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const cancelTimeout = clock.after(timeoutMs, () =>
      reject(new PrometheusError("timeout", `no credential within ${timeoutMs} ms`)),
    );
    release = () => {
      cancelTimeout();
      signal.removeEventListener("abort", onAbort);
    };
    // It is of this request alone, and ends with what it waits for: within the time of one fetch.
    authorization.headersOf({ method, url, headers, body }).then(resolve, reject);
  });
  try {
    return await inTime;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PrometheusError) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    throw new PrometheusError("unauthorized", `there is no credential for it: ${cause}`, { cause: error });
  } finally {
    release();
  }
}
