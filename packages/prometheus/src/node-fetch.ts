// An HTTP client with TLS options for Prometheus.
import http from "node:http";
import https from "node:https";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import nodeFetch from "node-fetch";
import type { FetchLike } from "./http.ts";

/** PEM texts, as node:tls takes them. */
export interface TlsOptions {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
}

/** How to connect. */
export interface NodeFetchOptions {
  readonly tls?: TlsOptions | undefined;
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Default: none. */
  readonly proxyEnv?: http.AgentOptions["proxyEnv"];
  /** How long a connection may take to be made, TLS included. */
  readonly connectTimeoutMs?: number;
  readonly maxSockets?: number;
}

/** node-fetch on keep-alive connections of its own. */
export interface NodeFetch {
  readonly fetch: FetchLike;
  /** Closes the idle connections; ones in use close when their response is complete. */
  close(): void;
}

/** A fetch over HTTP/1.1 with keep-alive connections of its own, which close() ends. */
export function createNodeFetch(options: NodeFetchOptions = {}): NodeFetch {
  const connectTimeoutMs = options.connectTimeoutMs ?? 2_000;
  const { proxyEnv } = options;
  const pool = { keepAlive: true, maxSockets: options.maxSockets ?? 64, maxFreeSockets: 16, proxyEnv };
  const plain = limited(new http.Agent(pool), "connect", connectTimeoutMs);
  const tls = { ...pool, ...tlsOptions(options.tls) };
  const secure = limited(new https.Agent(tls), "secureConnect", connectTimeoutMs);
  return {
    fetch: (url, init) =>
      nodeFetch(url, { ...init, agent: (target) => (target.protocol === "https:" ? secure : plain) }),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

function tlsOptions(tls: TlsOptions | undefined): https.AgentOptions {
  return {
    minVersion: "TLSv1.2",
    ...(tls?.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls?.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls?.key === undefined ? {} : { key: tls.key }),
    ...(tls?.serverName === undefined ? {} : { servername: tls.serverName }),
    ...(tls?.insecureSkipVerify === true ? { rejectUnauthorized: false } : {}),
  };
}

/** The agent, whose connections are made in time or not at all. */
function limited<A extends http.Agent>(agent: A, ready: string, timeoutMs: number): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => limitConnect(connect(options, done), ready, timeoutMs);
  return agent;
}

function limitConnect<S extends Duplex | null | undefined>(socket: S, ready: string, timeoutMs: number): S {
  if (!(socket instanceof Socket) || !socket.connecting) return socket;
  const timer = setTimeout(() => {
    const error = new Error(`no connection within ${timeoutMs} ms`);
    socket.destroy(Object.assign(error, { syscall: "connect" }));
  }, timeoutMs);
  const clear = (): void => clearTimeout(timer);
  socket.once(ready, clear);
  socket.once("close", clear);
  return socket;
}
