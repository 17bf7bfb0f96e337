// A client of a simulated server: results and errors as those of the real client.
import { getOrAdd } from "@plimsoll/component-base";
import { ConnectionError, type KubeClient, type KubeRequest } from "@plimsoll/kube";
import {
  abortedError,
  defaultTimeoutMs,
  errorFromResponse,
  parseJson,
  parseRetryAfter,
} from "@plimsoll/kube/testing";
import type { SimulatedProcess } from "../process/simulated-process.ts";
import type { Random } from "../random/random.ts";
import { type RequestFault, refusalBody } from "./faults.ts";
import { handOn } from "./listed-items.ts";
import { takeSeen } from "./parsed.ts";
import type { Server, ServerRequest, ServerResponse } from "./server.ts";
import { openStream, type StreamOptions } from "./stream.ts";
import type { Wire } from "./wire.ts";

const minTransitMs = 1;
const maxTransitMs = 3;

/** One call of a client. Only the first end counts. */
interface Call {
  readonly request: KubeRequest;
  /** How errors name it. */
  readonly what: string;
  readonly isOver: () => boolean;
  readonly fail: (error: Error) => void;
  readonly succeed: (response: ServerResponse, opening: Pick<StreamOptions, "request" | "random">) => void;
  /** A read whose connection was reset is sent once more. */
  mayRetry: boolean;
}

type Read<T> = (
  response: ServerResponse,
  what: string,
  opening: Pick<StreamOptions, "request" | "random">,
) => T;

export function createClient(wire: Wire, process: SimulatedProcess, server: Server): KubeClient {
  const open = new Set<(error: Error) => void>();
  let isClosed = false;

  function start<T>(request: KubeRequest, read: Read<T>): Promise<T> {
    const { signal, timeoutMs = defaultTimeoutMs, method = "GET" } = request;
    const what = `${method} ${request.path}`;
    if (isClosed) return Promise.reject(closedError());
    if (signal?.aborted === true) return Promise.reject(abortedError(what, signal));
    return new Promise<T>((resolve, reject) => {
      let isOver = false;
      const end = () => {
        isOver = true;
        cancel();
        signal?.removeEventListener("abort", abort);
        open.delete(fail);
      };
      const fail = (error: Error) => {
        end();
        reject(error);
      };
      const abort = () => fail(abortedError(what, signal));
      const cancel = process.clock.after(timeoutMs, () => fail(timeoutError(what, timeoutMs)));
      signal?.addEventListener("abort", abort);
      open.add(fail);
      const call: Call = {
        request,
        what,
        isOver: () => isOver,
        fail,
        succeed(response, opening) {
          end();
          try {
            resolve(read(response, what, opening));
          } catch (error) {
            reject(error);
          }
        },
        mayRetry: method === "GET",
      };
      dispatch(wire, process, server, call);
    });
  }

  return {
    server: "https://simulated",
    request: <T>(request: KubeRequest) => start(request, bodyReader(wire, request) as Read<T>),
    stream: (request) =>
      start(request, (response, what, opening) =>
        openStream(wire, response, { ...opening, process, what, signal: request.signal, open }),
      ),
    close() {
      isClosed = true;
      for (const fail of open) fail(closedError());
      return Promise.resolve();
    },
  };
}

/** Sends it in a step of its own: the real client reads credentials and opens a connection meanwhile. */
function dispatch(wire: Wire, process: SimulatedProcess, server: Server, call: Call): void {
  wire.time.after(0, () =>
    process.proceed("before-send", () => {
      if (call.isOver()) return;
      send(wire, process, server, call);
    }),
  );
}

function send(wire: Wire, process: SimulatedProcess, server: Server, call: Call): void {
  const { request, what } = call;
  if (request.maySend?.() === false) {
    call.fail(new ConnectionError("aborted", `${what}: not sent, because this process lost the right to it`));
    return;
  }
  const { time } = wire;
  const sent = sentOf(request, process.name, time.nowMs);
  const random = wire.nextRandom(process);
  const { fault, requestMs, responseMs } = passageOf(wire, sent, random);
  wire.onSent?.(process, sent, fault);

  function reset(): void {
    if (call.isOver()) return;
    if (!call.mayRetry) {
      call.fail(new ConnectionError("reset", `${what}: read ECONNRESET`));
      return;
    }
    call.mayRetry = false;
    dispatch(wire, process, server, call);
  }
  function respond(response: ServerResponse): void {
    if (fault?.type === "lost-after") {
      if (fault.isReset === true) time.after(responseMs, () => process.deliver(reset));
      return;
    }
    time.after(responseMs, () =>
      process.deliver(() => receive(wire, process, call, { response, request: sent, random })),
    );
  }

  if (fault?.type === "lost-before") {
    if (fault.isReset === true) time.after(requestMs + responseMs, () => process.deliver(reset));
  } else if (fault?.type === "status") time.after(requestMs, () => respond(refusal(fault)));
  else time.after(requestMs, () => serve(wire, server, sent, respond));
  process.proceed("after-send", () => {});
}

/** What becomes of one request, and how long its ways take. */
export interface Passage {
  readonly fault: RequestFault | undefined;
  readonly requestMs: number;
  readonly responseMs: number;
}

export function passageOf(wire: Wire, request: ServerRequest, random: Random): Passage {
  const fault = wire.fateOf(request, random);
  const delay = fault?.type === "delay" ? fault : { requestMs: 0, responseMs: 0 };
  const transitMs = (): number => random.between(minTransitMs, maxTransitMs);
  return { fault, requestMs: transitMs() + delay.requestMs, responseMs: transitMs() + delay.responseMs };
}

function serve(
  wire: Wire,
  server: Server,
  request: ServerRequest,
  respond: (response: ServerResponse) => void,
): void {
  const failed = (error: unknown) => wire.onServerError(error, request);
  try {
    const response = server(request);
    if (response instanceof Promise) response.then(respond).catch(failed);
    else respond(response);
  } catch (error) {
    failed(error);
  }
}

function receive(
  wire: Wire,
  process: SimulatedProcess,
  call: Call,
  came: { readonly response: ServerResponse } & Pick<StreamOptions, "request" | "random">,
): void {
  if (call.isOver()) return;
  const { response, request } = came;
  const { code } = response;
  const isStream = "stream" in response;
  wire.onReceived?.({ process, request, code, body: isStream ? undefined : response.body });
  if (isStream || (code >= 200 && code < 300)) {
    call.succeed(response, came);
    return;
  }
  const { what } = call;
  if (code >= 300 && code < 400) {
    const problem = `${what}: responded with a redirect (${String(code)}), which is not followed`;
    call.fail(new ConnectionError("bad_response", problem));
    return;
  }
  const retryAfterMs = parseRetryAfter(response.headers?.["retry-after"], process.clock.nowMs());
  call.fail(errorFromResponse(response.body, { code, what, retryAfterMs }));
}

export function sentOf(request: KubeRequest, caller: string, sentAtMs: number): ServerRequest {
  const { method = "GET", path, body, headers } = request;
  const query = new URLSearchParams();
  for (const name in request.query) {
    const value = request.query[name];
    if (value !== undefined) query.append(name, String(value));
  }
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    method,
    path,
    query,
    headers: {
      accept: request.accept ?? "application/json",
      "user-agent": userAgentOf(caller),
      ...(text === undefined ? {} : { "content-type": request.contentType ?? "application/json" }),
      ...headers,
    },
    body: text,
    caller,
    sentAtMs,
  };
}

const userAgents = new Map<string, string>();

/** That of the program, without the number of the process. */
function userAgentOf(caller: string): string {
  return getOrAdd(userAgents, caller, () => `plimsoll-${caller.replace(/-\d+$/, "")}`);
}

function refusal({ code, retryAfterSeconds }: Extract<RequestFault, { type: "status" }>): ServerResponse {
  const body = refusalBody(code);
  return retryAfterSeconds === undefined
    ? { code, body }
    : { code, body, headers: { "retry-after": String(retryAfterSeconds) } };
}

/** Items are handed on one by one while something happens to some of them. */
function bodyReader(wire: Wire, { items }: KubeRequest): Read<unknown> {
  return (response, what, { request }) => {
    const value = valueOf(response, what);
    const fateOf = wire.fatesOfItems();
    if (items === undefined || fateOf === undefined) return value;
    return handOn(value, items, (item) => fateOf(request, item));
  };
}

function valueOf(response: ServerResponse, what: string): unknown {
  const text = textOf(response, what);
  return takeSeen(text) ?? parseJson(text, what);
}

function textOf(response: ServerResponse, what: string): string {
  if ("stream" in response) throw new ConnectionError("bad_response", `${what}: a stream, not a response`);
  return response.body;
}

function timeoutError(what: string, timeoutMs: number): ConnectionError {
  return new ConnectionError("timeout", `${what}: no response within ${String(timeoutMs)} ms`);
}

function closedError(): ConnectionError {
  return new ConnectionError("closed", "the connection to the API server has been closed");
}
