// One backend: its connections, its limits and its circuit breaker, none of which another one has a part in.
import type { LookupFunction } from "node:net";
import type { Clock, Logger } from "@plimsoll/component-base";
import { registerHost } from "@plimsoll/core/redact";
import { createResponseMemory } from "@plimsoll/kube";
import type { ReadText } from "@plimsoll/kube/serving";
import type { BackendConfig } from "../config/federation-config.ts";
import { type BackendResult, failure } from "./answer.ts";
import { createBreaker, isFailing } from "./breaker.ts";
import { type Connections, createConnections } from "./connections.ts";
import { type Exchange, exchange } from "./exchange.ts";
import { requestHeaders } from "./headers.ts";

/** A GET of a path. */
export interface BackendRequest {
  readonly path: string;
  readonly accept: string;
  readonly auditId?: string | undefined;
  /** Aborts when its caller has gone away, or has no more time. */
  readonly signal?: AbortSignal | undefined;
}

/** Another adapter that requests are handed on to. */
export interface Backend {
  readonly config: BackendConfig;
  /** Never rejects. */
  send(request: BackendRequest): Promise<BackendResult>;
  /**
   * Past the limit of requests in flight and past the circuit breaker, which an answer closes: for discovery, which shows
   * whether it is back. A list comes in parts, and not in the body. Never rejects.
   */
  read(request: BackendRequest, onPart: (part: Uint8Array) => void): Promise<BackendResult>;
  /** Why nothing is sent to it for now. */
  circuitProblem(): string | undefined;
  /** @throws Error when a file cannot be read. */
  start(): Promise<void>;
  stop(): void;
}

/** What a process gives to its backends. */
export interface BackendSeams {
  readonly readText: ReadText;
  readonly clock: Clock;
  readonly log: Logger;
  readonly userAgent: string;
  /** Shared by all backends. */
  readonly lookUp: LookupFunction;
}

const minMemoryBytes = 16 * 1024 * 1024;
/** Of a list, whose names alone are kept: room for 200,000 metrics with names of 300 letters. */
const maxListBytes = 64 * 1024 * 1024;
const stopping = failure("canceled", "the adapter stops");

/** Nothing is read or sent before start. */
export function createBackend(config: BackendConfig, seams: BackendSeams): Backend {
  const { clock } = seams;
  registerHost(config.host);
  const breaker = createBreaker(clock);
  const connections = createConnections(config, seams);
  const witness = createWitness();
  const stopped = new AbortController();
  const get = createGet(config, { ...seams, connections, stopped: stopped.signal });
  let inFlight = 0;

  return {
    config,
    circuitProblem: breaker.problem,
    async read(request, onPart) {
      const result = await get(request, { maxAnswerBytes: maxListBytes, onPart });
      if (result.ok || (result.kind === "refused" && !isFailing(result))) breaker.responded();
      return result;
    },
    async send(request) {
      const { signal: caller } = request;
      if (caller?.aborted === true) return leftAfter(0);
      if (inFlight >= config.concurrency)
        return failure("busy", `${config.concurrency} requests are in flight to it, its limit`);
      inFlight += 1;
      const own = new AbortController();
      const { maxAnswerBytes } = config;
      const result = breaker
        .run(() => get(request, { maxAnswerBytes, signal: own.signal }))
        .finally(() => {
          inFlight -= 1;
        });
      return orLeft(clock, result, caller, () => witness.leave(result, own));
    },
    start: connections.start,
    stop() {
      stopped.abort(stopping);
      connections.stop();
    },
  };
}

type Get = (
  request: BackendRequest,
  limits: Pick<Exchange, "maxAnswerBytes" | "onPart"> & { readonly signal?: AbortSignal },
) => Promise<BackendResult>;

/** One exchange, within the time that a backend has. */
function createGet(
  config: BackendConfig,
  seams: BackendSeams & { readonly connections: Connections; readonly stopped: AbortSignal },
): Get {
  const { clock, userAgent, connections, stopped } = seams;
  const memory = createResponseMemory(Math.max(minMemoryBytes, config.maxAnswerBytes));
  return async ({ path, accept, auditId }, { signal: caller, ...limits }) => {
    const send = async (signal: AbortSignal): Promise<BackendResult> => {
      const connected = connections.current();
      if (stopped.aborted) return stopping;
      if (connected === undefined) return failure("unreachable", "it is not connected yet");
      const { agent, token } = connected;
      const headers = requestHeaders({ ...config, token, accept, auditId, userAgent });
      const result = await exchange({ ...config, ...limits, agent, path, headers, memory, signal });
      if (result.ok || result.isTokenRefused !== true) return result;
      if (connections.current()?.token === token) await connections.refresh();
      return connections.current()?.token === token ? result : await send(signal);
    };
    const until = limitTime(clock, config.timeoutMs, [caller, stopped]);
    try {
      return await send(until.signal);
    } finally {
      until.cancel();
    }
  };
}

/** Of the requests whose callers left, the one that is waited for. */
interface Witness {
  /** The caller of a request has left: it is ended by `request`, or waited for. */
  leave(result: Promise<unknown>, request: AbortController): void;
}

/**
 * A caller with little time says nothing about the backend, and must not open its circuit breaker. For that one request whose
 * caller left is waited for as long as the backend may take; there is one, so that callers who leave take no places of others.
 */
function createWitness(): Witness {
  let isWaiting = false;
  return {
    leave(result, request) {
      if (isWaiting) return request.abort(callerLeft);
      isWaiting = true;
      const end = (): void => {
        isWaiting = false;
      };
      result.then(end, end);
    },
  };
}

const callerLeft = failure("canceled", "its caller disconnected");
/** Of a backend that is silent for longer than this the log says so, even if the caller had less time than it may take. */
const silentMs = 2_000;

/** The result, or that the caller left before. */
function orLeft(
  clock: Clock,
  result: Promise<BackendResult>,
  caller: AbortSignal | undefined,
  onLeave: () => void,
): Promise<BackendResult> {
  if (caller === undefined) return result;
  const startedAtMs = clock.nowMs();
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      onLeave();
      resolve(leftAfter(clock.nowMs() - startedAtMs));
    };
    caller.addEventListener("abort", onAbort);
    result.finally(() => caller.removeEventListener("abort", onAbort)).then(resolve, reject);
  });
}

/** What is logged and counted for a caller that left. */
function leftAfter(waitedMs: number): BackendResult {
  return waitedMs >= silentMs
    ? failure("timeout", `it did not respond within ${waitedMs} ms, its caller's timeout`)
    : callerLeft;
}

/** Aborts, with the result for its reason, when time is up or when one of the signals aborts. */
function limitTime(
  clock: Clock,
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
): { readonly signal: AbortSignal; readonly cancel: () => void } {
  const end = new AbortController();
  const cancel = clock.after(timeoutMs, () =>
    end.abort(failure("timeout", `it did not respond within ${timeoutMs} ms`)),
  );
  const listening = signals.flatMap((signal) => {
    if (signal === undefined) return [];
    const onAbort = (): void => end.abort(signal.reason);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    return [{ signal, onAbort }];
  });
  return {
    signal: end.signal,
    cancel: () => {
      cancel();
      for (const { signal, onAbort } of listening) signal.removeEventListener("abort", onAbort);
    },
  };
}
