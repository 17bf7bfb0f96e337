// One backend: its connections, its limits and its circuit breaker, none of which another one has a part in.
import type { LookupFunction } from "node:net";
import type { Clock, Logger } from "@plimsoll/component-base";
import { createResponseMemory } from "@plimsoll/kube";
import type { ReadText } from "@plimsoll/kube/serving";
import type { BackendConfig } from "../config/federation-config.ts";
import { type BackendResult, failure } from "./answer.ts";
import { createBreaker } from "./breaker.ts";
import { type Connections, createConnections } from "./connections.ts";
import { exchange } from "./exchange.ts";
import { requestHeaders } from "./headers.ts";
import { createWitness, leftAfter, orLeft } from "./left.ts";
import { limitTime } from "./limit-time.ts";

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
   * whether it is back. Never rejects.
   */
  read(request: BackendRequest): Promise<BackendResult>;
  isOpen(): boolean;
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
/** Of a list, which is parsed in one piece: ten thousand metrics with names of 300 letters. */
const maxListBytes = 4 * 1024 * 1024;
const stopping = failure("canceled", "the adapter stops");

/** Nothing is read or sent before start. */
export function createBackend(config: BackendConfig, seams: BackendSeams): Backend {
  const { clock } = seams;
  const breaker = createBreaker({ clock });
  const connections = createConnections(config, seams);
  const witness = createWitness();
  const stopped = new AbortController();
  const get = createGet(config, { ...seams, connections, stopped: stopped.signal });
  let inFlight = 0;

  return {
    config,
    isOpen: breaker.isOpen,
    async read(request) {
      const result = await get(request, { maxAnswerBytes: Math.min(config.maxAnswerBytes, maxListBytes) });
      if (result.ok || result.kind === "refused") breaker.responded();
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
  limits: { readonly maxAnswerBytes: number; readonly signal?: AbortSignal },
) => Promise<BackendResult>;

/** One exchange, within the time that a backend has. */
function createGet(
  config: BackendConfig,
  seams: BackendSeams & { readonly connections: Connections; readonly stopped: AbortSignal },
): Get {
  const { clock, userAgent, connections, stopped } = seams;
  const memory = createResponseMemory(Math.max(minMemoryBytes, config.maxAnswerBytes));
  return async ({ path, accept, auditId }, { maxAnswerBytes, signal }) => {
    const connected = connections.current();
    if (stopped.aborted) return stopping;
    if (connected === undefined) return failure("unreachable", "it is not connected yet");
    const { agent, token } = connected;
    const headers = requestHeaders({ ...config, token, accept, auditId, userAgent });
    const until = limitTime(clock, config.timeoutMs, [signal, stopped]);
    try {
      return await exchange({
        ...config,
        maxAnswerBytes,
        agent,
        path,
        headers,
        memory,
        signal: until.signal,
      });
    } finally {
      until.cancel();
    }
  };
}
