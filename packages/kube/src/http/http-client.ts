import type { Dispatcher } from "undici";
import { type ApiError, ConnectionError } from "../api-error.ts";
import type { KubeClient, KubeRequest } from "../client.ts";
import type { Clock } from "../clock.ts";
import type { CredentialCache, Credentials } from "../connect/credentials.ts";
import type { Agents } from "./agents.ts";
import { parseJson, readText } from "./body.ts";
import { toConnectionError } from "./connection-failure.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import { errorFromResponse } from "./error-response.ts";
import { parseRetryAfter } from "./retry-after.ts";

export interface HttpClientOptions {
  readonly server: string;
  readonly userAgent: string;
  readonly agents: Agents;
  readonly credentials: CredentialCache;
  readonly clock: Clock;
  readonly maxResponseBytes: number;
}

type Answer = Dispatcher.ResponseData;

const defaultTimeoutMs = 30_000;
const maxErrorBytes = 1024 * 1024;

/** JSON over HTTP/1.1 with connections that are kept. */
export function createHttpClient(o: HttpClientOptions): KubeClient {
  const { origin, pathname } = new URL(o.server);
  const prefix = pathname.replace(/\/+$/, "");

  async function send(request: KubeRequest, deadline: Deadline): Promise<Answer> {
    let credentials = await credentialsOrFail(o.credentials.current());
    for (let attempt = 0; ; attempt += 1) {
      const mayRetry = attempt === 0;
      let answer: Answer;
      try {
        answer = await dispatch(request, credentials, deadline.signal);
      } catch (error) {
        if (deadline.signal.aborted) throw deadline.signal.reason;
        const failure = toConnectionError(error, whatOf(request));
        if (mayRetry && failure.kind === "reset" && isRead(request)) continue;
        const other =
          mayRetry && failure.kind === "tls" ? await o.credentials.replace(credentials) : undefined;
        if (other === undefined) throw failure;
        credentials = other;
        continue;
      }
      if (answer.statusCode !== 401 || !mayRetry) return answer;
      let other: Credentials | undefined;
      try {
        other = await credentialsOrFail(o.credentials.replace(credentials));
      } catch (error) {
        destroy(answer);
        throw error;
      }
      if (other === undefined) return answer;
      credentials = other;
      await answer.body.dump();
    }
  }

  function dispatch(request: KubeRequest, credentials: Credentials, signal: AbortSignal): Promise<Answer> {
    const { body } = request;
    const text = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
    return o.agents.for(credentials.tls).request({
      origin,
      path: `${prefix}${request.path}${queryOf(request.query)}`,
      method: request.method ?? "GET",
      headers: {
        accept: request.accept ?? "application/json",
        "user-agent": o.userAgent,
        ...(text === null ? {} : { "content-type": request.contentType ?? "application/json" }),
        ...request.headers,
        ...credentials.headers,
      },
      body: text,
      signal,
    });
  }

  /** Throws what an answer that is no success says. */
  async function expectSuccess(answer: Answer, request: KubeRequest): Promise<void> {
    const code = answer.statusCode;
    if (code >= 200 && code < 300) return;
    if (code >= 300 && code < 400) {
      await answer.body.dump();
      const text = `${whatOf(request)}: answered with a redirect (${String(code)}), which is not followed`;
      throw new ConnectionError("bad_response", text);
    }
    throw await readError(answer, request);
  }

  async function readError(answer: Answer, request: KubeRequest): Promise<ApiError> {
    const retryAfter = answer.headers["retry-after"];
    return errorFromResponse({
      code: answer.statusCode,
      text: await readText(answer.body, maxErrorBytes, whatOf(request)),
      what: whatOf(request),
      retryAfterMs: parseRetryAfter(typeof retryAfter === "string" ? retryAfter : undefined, o.clock.nowMs()),
    });
  }

  return {
    server: o.server,
    async request<T>(request: KubeRequest): Promise<T> {
      const what = whatOf(request);
      const deadline = createDeadline(request.signal, request.timeoutMs ?? defaultTimeoutMs, what);
      try {
        const answer = await send(request, deadline);
        await guarded(answer, deadline, what, () => expectSuccess(answer, request));
        const text = await guarded(answer, deadline, what, () =>
          readText(answer.body, o.maxResponseBytes, what),
        );
        return parseJson(text, what) as T;
      } finally {
        deadline.end();
      }
    },
    async stream(request) {
      const what = whatOf(request);
      const deadline = createDeadline(request.signal, request.timeoutMs ?? defaultTimeoutMs, what);
      try {
        const answer = await send(request, deadline);
        await guarded(answer, deadline, what, () => expectSuccess(answer, request));
        deadline.lift();
        return bytesOf(answer, deadline, what);
      } catch (error) {
        deadline.end();
        throw error;
      }
    },
    close: () => o.agents.close(),
  };
}

async function* bytesOf(
  answer: Answer,
  deadline: Deadline,
  what: string,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of answer.body) yield chunk as Uint8Array;
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : toConnectionError(error, what);
  } finally {
    deadline.end();
    destroy(answer);
  }
}

/** Reads from an answer; whatever fails on the way, the connection is not left half read. */
async function guarded<R>(
  answer: Answer,
  deadline: Deadline,
  what: string,
  read: () => Promise<R>,
): Promise<R> {
  try {
    return await read();
  } catch (error) {
    destroy(answer);
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw error instanceof Error && error.name === "ApiError" ? error : toConnectionError(error, what);
  }
}

function destroy(answer: Answer): void {
  // The body complains that it was not read to its end, which is the point.
  answer.body.on("error", () => undefined);
  answer.body.destroy();
}

async function credentialsOrFail<R>(credentials: Promise<R>): Promise<R> {
  try {
    return await credentials;
  } catch (error) {
    const reason = error instanceof Error ? error.message.trim() : String(error);
    throw new ConnectionError("credentials", `no credentials for the API server: ${reason}`, error);
  }
}

function isRead(request: KubeRequest): boolean {
  return request.method === undefined || request.method === "GET";
}

function whatOf(request: KubeRequest): string {
  return `${request.method ?? "GET"} ${request.path}`;
}

function queryOf(query: KubeRequest["query"]): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.append(name, String(value));
  }
  return search.size === 0 ? "" : `?${search.toString()}`;
}
