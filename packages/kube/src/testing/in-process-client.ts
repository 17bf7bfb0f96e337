// A client whose server is a function in the same process: the same results and errors, without sockets.
import type { Clock } from "@plimsoll/component-base";
import { ConnectionError } from "../client/api-error.ts";
import type { KubeClient, KubeRequest } from "../client/client.ts";
import { parseJson } from "../client/http/body.ts";
import { errorFromResponse } from "../client/http/error-response.ts";
import { defaultTimeoutMs } from "../client/http/http-client.ts";
import { parseRetryAfter } from "../client/http/retry-after.ts";
import type { ByteStream } from "./byte-stream.ts";

/** What the server receives. */
export interface InProcessRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** A copy, as the parsed JSON of a request is. */
  readonly body: unknown;
}

/** What the server sends. */
export interface InProcessResponse {
  readonly code: number;
  /** Sent as JSON, unless it is a string: that goes out as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the body, for a response without end. */
  readonly stream?: ByteStream;
}

/** Timeouts pass on the clock, so that a test can advance them. */
export function inProcessClient(options: {
  readonly clock: Clock;
  readonly respond: (request: InProcessRequest) => Promise<InProcessResponse>;
}): KubeClient {
  const { clock, respond } = options;

  async function send(request: KubeRequest, what: string): Promise<InProcessResponse> {
    if (request.maySend?.() === false)
      throw new ConnectionError("aborted", `${what}: not sent, because this process lost the right to it`);
    const response = await respond(receivedOf(request));
    const { code, headers } = response;
    if (code >= 200 && code < 300) return response;
    const retryAfterMs = parseRetryAfter(headers?.["retry-after"], clock.nowMs());
    throw errorFromResponse(textOf(response), { code, what, retryAfterMs });
  }

  return {
    server: "https://in-process",
    request<T>(request: KubeRequest): Promise<T> {
      const what = whatOf(request);
      return withDeadline(
        request,
        clock,
        async () => parseJson(textOf(await send(request, what)), what) as T,
      );
    },
    async stream(request) {
      const what = whatOf(request);
      const response = await withDeadline(request, clock, () => send(request, what));
      const { stream, body } = response;
      if (stream === undefined) throw new Error(`${what}: no stream, but ${JSON.stringify(body)}`);
      const { signal } = request;
      const abort = () => stream.fail(abortedError(what, signal));
      if (signal?.aborted === true) abort();
      else signal?.addEventListener("abort", abort, { once: true });
      return stream;
    },
    close: () => Promise.resolve(),
  };
}

function whatOf({ method = "GET", path }: KubeRequest): string {
  return `${method} ${path}`;
}

function receivedOf({ method = "GET", path, query, body }: KubeRequest): InProcessRequest {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.append(name, String(value));
  }
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    method,
    path: decodeURIComponent(path),
    query: search,
    body: text === undefined ? undefined : JSON.parse(text),
  };
}

function textOf({ body }: InProcessResponse): string {
  return typeof body === "string" ? body : (JSON.stringify(body) ?? "");
}

/** What a request that was aborted rejects with. */
export function abortedError(what: string, signal: AbortSignal | undefined): ConnectionError {
  return new ConnectionError("aborted", `${what}: aborted`, signal?.reason);
}

function withDeadline<R>(request: KubeRequest, clock: Clock, run: () => Promise<R>): Promise<R> {
  const { signal, timeoutMs = defaultTimeoutMs } = request;
  const what = whatOf(request);
  if (signal?.aborted === true) return Promise.reject(abortedError(what, signal));
  return new Promise((resolve, reject) => {
    const abort = () => reject(abortedError(what, signal));
    const cancel = clock.after(timeoutMs, () =>
      reject(new ConnectionError("timeout", `${what}: no response within ${String(timeoutMs)} ms`)),
    );
    signal?.addEventListener("abort", abort);
    run()
      .then(resolve, reject)
      .finally(() => {
        cancel();
        signal?.removeEventListener("abort", abort);
      });
  });
}
