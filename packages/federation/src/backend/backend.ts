// One backend: its connections, its limits and its circuit breaker, none of which another one has a part in.
import { Agent } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Clock, Logger } from "@plimsoll/component-base";
import { createResponseMemory } from "@plimsoll/kube";
import type { ReadText } from "@plimsoll/kube/serving";
import type { BackendConfig } from "../config/federation-config.ts";
import { type BackendResult, failure } from "./answer.ts";
import { createBreaker } from "./breaker.ts";
import { type Credentials, createCredentialFiles } from "./credentials.ts";
import { exchange } from "./exchange.ts";
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
  /** Past the limit of requests in flight and past the circuit breaker: for discovery, which shows whether it is back. */
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
/** kube-apiserver's clients have the same. */
const idleConnections = 8;

/** Nothing is read or sent before start. */
export function createBackend(config: BackendConfig, seams: BackendSeams): Backend {
  const { clock } = seams;
  const breaker = createBreaker({ clock });
  const memory = createResponseMemory(Math.max(minMemoryBytes, config.maxAnswerBytes));
  let connected:
    | { readonly agent: Agent; readonly token: string; readonly ca: string | undefined }
    | undefined;
  let inFlight = 0;

  /** A token changes every hour, and needs no other connections. */
  const connectWith = ({ token, ca }: Credentials): void => {
    const last = connected;
    const isSame = last !== undefined && last.ca === ca;
    connected = { agent: isSame ? last.agent : createAgent(config, ca, seams.lookUp), token, ca };
    if (last !== undefined && !isSame) retire(last.agent);
  };
  const files = createCredentialFiles(config, seams, connectWith);

  const read: Backend["read"] = async ({ path, accept, auditId, signal }) => {
    if (connected === undefined) return failure("unreachable", "it is not connected yet");
    const { agent, token } = connected;
    const { userAgent } = seams;
    const headers = requestHeaders({ ...config, token, accept, auditId, userAgent });
    const until = limitTime(clock, config.timeoutMs, signal);
    try {
      return await exchange({ ...config, agent, path, headers, memory, signal: until.signal });
    } finally {
      until.cancel();
    }
  };

  return {
    config,
    read,
    isOpen: breaker.isOpen,
    async send(request) {
      if (inFlight >= config.concurrency)
        return failure("busy", `${config.concurrency} requests are in flight to it, its limit`);
      inFlight += 1;
      try {
        return await breaker.run(() => read(request));
      } finally {
        inFlight -= 1;
      }
    },
    start: async () => connectWith(await files.start()),
    stop() {
      files.stop();
      connected?.agent.destroy();
      connected = undefined;
    },
  };
}

/** A backend that is silent for longer than this has failed, even if its callers have less time than it may take. */
const silentMs = 2_000;

/** Aborts, with the result for its reason, when time is up or the caller goes away. */
function limitTime(
  clock: Clock,
  timeoutMs: number,
  caller: AbortSignal | undefined,
): { readonly signal: AbortSignal; readonly cancel: () => void } {
  const end = new AbortController();
  const startedAtMs = clock.nowMs();
  const cancel = clock.after(timeoutMs, () =>
    end.abort(failure("timeout", `it did not answer within ${timeoutMs} ms`)),
  );
  const onAbort = (): void => end.abort(leftBy(clock.nowMs() - startedAtMs));
  caller?.addEventListener("abort", onAbort);
  if (caller?.aborted === true) onAbort();
  return {
    signal: end.signal,
    cancel: () => {
      cancel();
      caller?.removeEventListener("abort", onAbort);
    },
  };
}

function leftBy(waitedMs: number): BackendResult {
  return waitedMs >= silentMs
    ? failure("timeout", `it did not answer within ${waitedMs} ms, all the time that its caller had`)
    : failure("canceled", "its caller has gone away");
}

/** Closes idle connections at once, and those in use with their request. */
function retire(agent: Agent): void {
  Object.assign(agent, { keepAlive: false });
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}

function createAgent(config: BackendConfig, ca: string | undefined, lookup: LookupFunction): Agent {
  return new Agent({
    keepAlive: true,
    maxSockets: config.concurrency + 2,
    maxFreeSockets: idleConnections,
    scheduling: "lifo",
    lookup,
    ALPNProtocols: ["http/1.1"],
    minVersion: "TLSv1.2",
    rejectUnauthorized: !config.insecureSkipTlsVerify,
    ...(isIP(config.host) === 0 ? { servername: config.host } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
}
