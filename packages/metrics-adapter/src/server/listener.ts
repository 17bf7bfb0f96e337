import { constants } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import {
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
  type SecureVersion,
} from "node:tls";
import type { Clock } from "@plimsoll/kube";
import type { KeyPair, ServingMaterial } from "@plimsoll/kube/serving";
import type { Logger } from "../logger.ts";
import { badRequest, type Failure } from "./failure.ts";
import { toStatus } from "./status.ts";

export interface ListenerOptions {
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly minVersion: SecureVersion;
  /** OpenSSL's list; undefined: node's defaults. */
  readonly ciphers: string | undefined;
  readonly isPortShared: boolean;
  readonly limits: ListenerLimits;
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ListenerLimits {
  readonly headerBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly handshakeTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Neither reading nor writing: longer than any request takes. */
  readonly inactivityTimeoutMs: number;
  readonly connections: number;
}

/** Keep-alive outlives the 90 s after which Go's clients drop an idle connection, so that we never cut first. */
export const defaultLimits: ListenerLimits = {
  headerBytes: 64 * 1024,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 20_000,
  handshakeTimeoutMs: 10_000,
  keepAliveTimeoutMs: 120_000,
  inactivityTimeoutMs: 150_000,
  connections: 8192,
};

const refusalMs = 1000;

export interface Listener {
  start(material: ServingMaterial): Promise<{ readonly address: string; readonly port: number }>;
  /** For new connections; those that are open keep what they have. */
  update(material: ServingMaterial): void;
  /** Stops accepting, lets requests finish, closes idle connections, and after the grace all others. */
  close(graceMs: number): Promise<void>;
}

export function createListener(options: ListenerOptions): Listener {
  const { limits, log } = options;
  let sni: ReadonlyMap<string, SecureContext> = new Map();

  const contextOptions = (pair: KeyPair): SecureContextOptions => ({
    cert: pair.certPem,
    key: pair.keyPem,
    // No CA here: OpenSSL could only say that one of them all vouches for a peer, and where it can, node does not
    // show the intermediate certificates that we need to say which. Clients read the empty list as "send any".
    ca: [],
    minVersion: options.minVersion,
    // A resumed session would not show the peer's intermediate certificates.
    secureOptions: constants.SSL_OP_NO_TICKET,
    ...(options.ciphers === undefined ? {} : { ciphers: options.ciphers }),
  });
  const sniContexts = (material: ServingMaterial): ReadonlyMap<string, SecureContext> =>
    new Map(
      material.sni.flatMap((pair) => {
        const context = createSecureContext(contextOptions(pair));
        return pair.domains.map((domain) => [domain.toLowerCase(), context] as const);
      }),
    );

  /** All of them, also those that node's HTTP server does not know yet because TLS is not done. */
  const open = new Set<Socket>();
  const answering = new WeakSet<Socket>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    answering.add(socket);
    response.once("close", () => answering.delete(socket));
    options.handler(request, response);
  };
  let server: Server | undefined;

  return {
    start: async (material) => {
      sni = sniContexts(material);
      server = createServer(
        {
          ...contextOptions(material.main),
          // Asked for, not required: probes and token holders have none.
          requestCert: true,
          rejectUnauthorized: false,
          ALPNProtocols: ["http/1.1"],
          SNICallback: (name, done) => done(null, findContext(sni, name)),
          handshakeTimeout: limits.handshakeTimeoutMs,
          maxHeaderSize: limits.headerBytes,
          headersTimeout: limits.headersTimeoutMs,
          requestTimeout: limits.requestTimeoutMs,
          keepAliveTimeout: limits.keepAliveTimeoutMs,
          connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, 5000),
          insecureHTTPParser: false,
          noDelay: true,
        },
        handle,
      );
      server.maxConnections = limits.connections;
      server.timeout = limits.inactivityTimeoutMs;
      server.on("connection", (socket: Socket) => {
        open.add(socket);
        socket.once("close", () => open.delete(socket));
      });
      server.on("tlsClientError", (error) => log.debug({ err: error }, "TLS handshake failed"));
      server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
        log.debug({ code: error.code, sourceAddress: socket.remoteAddress }, "unreadable request");
        refuse(socket, error, answering.has(socket));
      });
      // Without this, node would treat an expectation of a body as accepted.
      server.on("checkContinue", handle);
      return listen(server, options);
    },
    update: (material) => {
      server?.setSecureContext(contextOptions(material.main));
      sni = sniContexts(material);
    },
    close: async (graceMs) => {
      const closing = server;
      if (closing === undefined) {
        return;
      }
      const cancel = options.clock.after(graceMs, () => {
        for (const socket of open) {
          socket.destroy();
        }
      });
      await new Promise<void>((resolve) => {
        closing.close(() => resolve());
        closing.closeIdleConnections();
      });
      cancel();
    },
  };
}

function findContext(contexts: ReadonlyMap<string, SecureContext>, name: string): SecureContext | undefined {
  const host = name.toLowerCase();
  return contexts.get(host) ?? contexts.get(host.replace(/^[^.]+/, "*"));
}

function listen(server: Server, options: ListenerOptions): Promise<{ address: string; port: number }> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    const place = { host: options.address, port: options.port, reusePort: options.isPortShared };
    server.listen(place, () => {
      server.off("error", reject);
      server.on("error", (error) => options.log.error({ err: error }, "listener failed"));
      const bound = server.address() as AddressInfo;
      resolve({ address: bound.address, port: bound.port });
    });
  });
}

/**
 * The answer to bytes that node could not read as a request; none in the middle of another answer, and none where
 * TLS itself failed, as there is nobody to read it.
 */
function refuse(socket: Socket, error: NodeJS.ErrnoException, isAnswering: boolean): void {
  const failure = unreadable(error.code ?? "");
  if (failure === undefined || isAnswering || !socket.writable) {
    socket.destroy();
    return;
  }
  const { httpCode, status } = toStatus(failure);
  const body = `${JSON.stringify(status)}\n`;
  const head = [
    `HTTP/1.1 ${httpCode} ${status.reason}`,
    "Content-Type: application/json",
    "Cache-Control: no-cache, private",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  // Whoever does not read it either is not waited for.
  socket.setTimeout(refusalMs, () => socket.destroy());
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

function unreadable(code: string): Failure | undefined {
  if (code === "HPE_HEADER_OVERFLOW") {
    return { reason: "RequestHeaderFieldsTooLarge", message: "the request's headers are too large" };
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return { reason: "RequestTimeout", message: "the request did not arrive in time" };
  }
  return code.startsWith("HPE_") ? badRequest("the request is not valid HTTP/1.1") : undefined;
}
