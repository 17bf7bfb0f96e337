// JSON and protobuf over HTTP/1.1 with connections that are kept: the KubeClient of one server.
import { type Clock, messageOf } from "@plimsoll/component-base";
import { redact, redactUrl, registerHost } from "@plimsoll/core/redact";
import type { Dispatcher } from "undici";
import { ApiError, ConnectionError } from "../api-error.ts";
import type { KubeClient, KubeRequest, ResponseStream } from "../client.ts";
import type { CredentialCache, Credentials } from "../credentials.ts";
import type { Agents } from "./agents.ts";
import { readBytes } from "./body.ts";
import { checkBeforeSend } from "./check-before-send.ts";
import { toConnectionError } from "./connection-failure.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import { errorFromBytes } from "./error-response.ts";
import { readListBody } from "./list-body.ts";
import { acceptOf, createJsonOnly, isProtobuf, type JsonOnly, mediaTypeOf, valueOf } from "./negotiation.ts";
import { parseRetryAfter } from "./retry-after.ts";

/** Which server, by which connections and credentials. */
export interface HttpClientOptions {
  readonly server: string;
  readonly userAgent: string;
  readonly agents: Agents;
  readonly credentials: CredentialCache;
  readonly clock: Clock;
  readonly maxResponseBytes: number;
  /** Of every request, over those of the credentials. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

type Response = Dispatcher.ResponseData;

export const defaultTimeoutMs = 30_000;
const maxErrorBytes = 1024 * 1024;
const maxReasonLetters = 1000;

/** One request under way. */
interface Exchange {
  readonly request: KubeRequest;
  /** How errors name it. */
  readonly what: string;
  readonly deadline: Deadline;
}

export function createHttpClient(options: HttpClientOptions): KubeClient {
  const { agents, server } = options;
  const { origin, pathname } = new URL(server);
  registerHost(origin);
  const base = { origin, prefix: pathname.replace(/\/+$/, "") };
  const jsonOnly = createJsonOnly();
  return {
    server: redactUrl(server),
    request: <T>(request: KubeRequest) =>
      adapted(jsonOnly, request, (adjusted) => requestOnce<T>(adjusted, base, options)),
    stream: (request) => adapted(jsonOnly, request, (adjusted) => streamOnce(adjusted, base, options)),
    close: () => agents.close(),
  };
}

/** Once more without protobuf, where the server refuses it. */
async function adapted<R>(
  jsonOnly: JsonOnly,
  request: KubeRequest,
  send: (request: KubeRequest) => Promise<R>,
): Promise<R> {
  const adjusted = jsonOnly.adjusted(request);
  try {
    return await send(adjusted);
  } catch (error) {
    if (!jsonOnly.learn(error, adjusted)) throw error;
    return await send(jsonOnly.adjusted(request));
  }
}

async function requestOnce<T>(request: KubeRequest, base: Base, options: HttpClientOptions): Promise<T> {
  const exchange = exchangeOf(request);
  try {
    const response = await sendForSuccess(exchange, base, options);
    const { maxResponseBytes: maxBytes = options.maxResponseBytes, responseMemory, items } = request;
    const { what } = exchange;
    if (items !== undefined) {
      const read = { isProtobuf: isProtobuf(response.headers), what };
      return (await guarded(response, exchange, () => readListBody(response.body, items, read))) as T;
    }
    const bytes = await guarded(response, exchange, () =>
      readBytes(response.body, { maxBytes, what, responseMemory }),
    );
    return valueOf(bytes, { headers: response.headers, request, what }) as T;
  } finally {
    exchange.deadline.end();
  }
}

async function streamOnce(
  request: KubeRequest,
  base: Base,
  options: HttpClientOptions,
): Promise<ResponseStream> {
  const exchange = exchangeOf(request);
  try {
    const response = await sendForSuccess(exchange, base, options);
    exchange.deadline.lift();
    const mediaType = mediaTypeOf(response.headers);
    return Object.assign(bytesOf(response, exchange), mediaType === undefined ? {} : { mediaType });
  } catch (error) {
    exchange.deadline.end();
    throw error;
  }
}

/** Where the server's paths begin. */
interface Base {
  readonly origin: string;
  readonly prefix: string;
}

function exchangeOf(request: KubeRequest): Exchange {
  const what = `${request.method ?? "GET"} ${request.path}`;
  const deadline = createDeadline(request.signal, request.timeoutMs ?? defaultTimeoutMs, what);
  return { request, what, deadline };
}

async function sendForSuccess(exchange: Exchange, base: Base, options: HttpClientOptions): Promise<Response> {
  const response = await send(exchange, base, options);
  await guarded(response, exchange, () => expectSuccess(response, exchange, options.clock));
  return response;
}

/** Retries once: a read whose connection was reset, and any request when other credentials may help. */
async function send(exchange: Exchange, base: Base, options: HttpClientOptions): Promise<Response> {
  const { credentials } = options;
  const used = await credentialsOrFail(credentials.current());
  let response: Response;
  try {
    response = await dispatch(exchange, used, base, options);
  } catch (error) {
    const other = await credentialsForRetry(error, used, exchange, credentials);
    if (other === undefined) throw error;
    return await dispatch(exchange, other, base, options);
  }
  if (response.statusCode !== 401) return response;
  let other: Credentials | undefined;
  try {
    other = await credentialsOrFail(credentials.replace(used));
  } catch (error) {
    destroy(response);
    throw error;
  }
  if (other === undefined) return response;
  await response.body.dump();
  return await dispatch(exchange, other, base, options);
}

async function credentialsForRetry(
  error: unknown,
  used: Credentials,
  { request }: Exchange,
  credentials: CredentialCache,
): Promise<Credentials | undefined> {
  if (!(error instanceof ConnectionError)) return undefined;
  if (error.kind === "reset" && (request.method ?? "GET") === "GET") return used;
  return error.kind === "tls" ? await credentialsOrFail(credentials.replace(used)) : undefined;
}

/** Throws the deadline's reason once that has passed, else ConnectionError. */
async function dispatch(
  { request, what, deadline }: Exchange,
  credentials: Credentials,
  { origin, prefix }: Base,
  { agents, userAgent, headers }: HttpClientOptions,
): Promise<Response> {
  const { body, contentType, maySend } = request;
  const { signal } = deadline;
  try {
    const text = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
    const agent = agents.for(credentials.tls);
    const dispatcher = maySend === undefined ? agent : agent.compose(checkBeforeSend(maySend, what));
    return await dispatcher.request({
      origin,
      path: `${prefix}${request.path}${queryOf(request.query)}`,
      method: request.method ?? "GET",
      headers: {
        accept: acceptOf(request),
        "user-agent": userAgent,
        ...(text === null ? {} : { "content-type": contentType ?? "application/json" }),
        ...request.headers,
        ...credentials.headers,
        ...headers,
      },
      body: text,
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // A connection that leads through another server may have been refused by that one.
    throw error instanceof ApiError ? error : toConnectionError(error, what);
  }
}

/** Throws what a response says that is no success. */
async function expectSuccess(response: Response, { what }: Exchange, clock: Clock): Promise<void> {
  const code = response.statusCode;
  if (code >= 200 && code < 300) return;
  if (code >= 300 && code < 400) {
    await response.body.dump();
    const problem = `${what}: responded with a redirect (${String(code)}), which is not followed`;
    throw new ConnectionError("bad_response", problem);
  }
  throw await readError(response, what, clock);
}

async function readError(response: Response, what: string, clock: Clock): Promise<ApiError> {
  const retryAfter = response.headers["retry-after"];
  const bytes = await readBytes(response.body, { maxBytes: maxErrorBytes, what });
  return errorFromBytes(bytes, {
    isProtobuf: isProtobuf(response.headers),
    code: response.statusCode,
    what,
    retryAfterMs: parseRetryAfter(typeof retryAfter === "string" ? retryAfter : undefined, clock.nowMs()),
  });
}

async function* bytesOf(
  response: Response,
  { what, deadline }: Exchange,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    for await (const chunk of response.body) yield chunk as Uint8Array;
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : toConnectionError(error, what);
  } finally {
    deadline.end();
    destroy(response);
  }
}

/** Reads from a response; when that fails, the connection is not left half read. */
async function guarded<R>(
  response: Response,
  { what, deadline }: Exchange,
  read: () => Promise<R>,
): Promise<R> {
  try {
    return await read();
  } catch (error) {
    destroy(response);
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw error instanceof Error && error.name === "ApiError" ? error : toConnectionError(error, what);
  }
}

function destroy(response: Response): void {
  // The body reports that it was not read to its end, which is the point.
  response.body.on("error", () => undefined);
  response.body.destroy();
}

async function credentialsOrFail<R>(credentials: Promise<R>): Promise<R> {
  try {
    return await credentials;
  } catch (error) {
    throw new ConnectionError("credentials", `no credentials for the API server: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  // The parser repeats what it could not read, which is where a token is.
  if (error instanceof SyntaxError) return "a plugin returned invalid JSON";
  const reason = redact(messageOf(error)).trim();
  // The message of a plugin that failed is all that it wrote.
  if (reason === "") return "a plugin failed without any output on standard error";
  return reason.length > maxReasonLetters ? `${reason.slice(0, maxReasonLetters)}…` : reason;
}

function queryOf(query: KubeRequest["query"]): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.append(name, String(value));
  }
  return search.size === 0 ? "" : `?${search.toString()}`;
}
