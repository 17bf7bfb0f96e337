// Limits of listeners, and those of local servers.
import type { Server, ServerOptions } from "node:http";
import { type ConnectionLimit, createConnectionLimit } from "./connection-limit.ts";

export interface ServerLimits {
  readonly headerBytes: number;
  readonly headersTimeoutMs: number;
  /** 0: none. */
  readonly requestTimeoutMs: number;
  readonly handshakeTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Neither reading nor writing: longer than any request takes. 0: none. */
  readonly inactivityTimeoutMs: number;
  readonly connections: number;
}

const shared = { headersTimeoutMs: 10_000, handshakeTimeoutMs: 10_000 };

/** One row for each local server. */
export const localLimits = {
  // The autoscaler sends something every 15 s on a stream, and browsers open six connections to one host.
  console: {
    ...shared,
    keepAliveTimeoutMs: 5_000,
    headerBytes: 16 * 1024,
    requestTimeoutMs: 30_000,
    inactivityTimeoutMs: 60_000,
    connections: 128,
  },
  // A watch lives longer than any timeout of requests; the client's own timeoutSeconds ends it.
  sandbox: {
    ...shared,
    keepAliveTimeoutMs: 120_000,
    headerBytes: 64 * 1024,
    requestTimeoutMs: 0,
    inactivityTimeoutMs: 0,
    connections: 4096,
  },
} as const satisfies Record<string, ServerLimits>;

/** For node's constructors of servers. A connection that sends nothing is closed as one whose headers are late. */
export function serverOptions(limits: ServerLimits): ServerOptions & { handshakeTimeout: number } {
  return {
    handshakeTimeout: limits.handshakeTimeoutMs,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, 5000),
  };
}

/** Call it before the server listens. */
export function limitConnections(server: Server, limits: ServerLimits): ConnectionLimit {
  server.timeout = limits.inactivityTimeoutMs;
  return createConnectionLimit(server, limits.connections);
}
