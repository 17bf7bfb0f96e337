// The HTTPS server: certificates, limits, draining.
import { constants } from "node:crypto";
import { createServer, type Server, type ServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import {
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
  type SecureVersion,
  type TlsOptions,
} from "node:tls";
import type { Clock, Logger } from "@plimsoll/component-base";
import {
  createDrain,
  type Drain,
  type KeyPair,
  refuseUnreadable,
  type ServingMaterial,
} from "@plimsoll/kube/serving";
import { type ConnectionLimit, createConnectionLimit } from "./connection-limit.ts";
import type { RequestHandler } from "./handler.ts";

export interface ListenerOptions {
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly minVersion: SecureVersion;
  /** OpenSSL's list; undefined: node's defaults. */
  readonly ciphers: string | undefined;
  readonly isPortShared: boolean;
  readonly limits: ListenerLimits;
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
  // An idle one takes 65 KiB, and one with 60 KiB of unfinished headers 167 KiB (measured with a thousand of each):
  // all together fit into a third of a gibibyte. An API server keeps 25 idle ones and one for each request.
  connections: 2048,
};

/** How long an idle connection may still send a request, once no new ones are accepted. */
const idleMs = 3_000;

export interface Listener {
  start(
    material: ServingMaterial,
    handler: RequestHandler,
  ): Promise<{ readonly address: string; readonly port: number }>;
  /** For new connections; those that are open keep what they have. */
  update(material: ServingMaterial): void;
  /** The caller on this connection has an identity: the limit of connections does not close it. */
  keep(socket: Socket): void;
  /** Stops accepting, serves what arrives on open connections, closes idle ones, and after the grace all others. */
  close(graceMs: number): Promise<void>;
}

export function createListener(options: ListenerOptions): Listener {
  const { limits, log } = options;
  let sni: ReadonlyMap<string, SecureContext> = new Map();

  const contextOptions = (pair: KeyPair): SecureContextOptions => secureContextOptions(pair, options);
  const sniContexts = (material: ServingMaterial): ReadonlyMap<string, SecureContext> =>
    new Map(
      material.sni.flatMap((pair) => {
        const context = createSecureContext(contextOptions(pair));
        return pair.domains.map((domain) => [domain.toLowerCase(), context] as const);
      }),
    );

  const findSni: TlsOptions["SNICallback"] = (name, done) => done(null, findContext(sni, name));
  let server: Server | undefined;
  let drain: Drain | undefined;
  let limit: ConnectionLimit | undefined;

  return {
    start: async (material, handler) => {
      sni = sniContexts(material);
      server = createServer(
        { ...serverOptions(limits), ...contextOptions(material.main), SNICallback: findSni },
        handler,
      );
      const draining = createDrain(server, options.clock);
      drain = draining;
      limit = createConnectionLimit(server, limits.connections);
      server.timeout = limits.inactivityTimeoutMs;
      server.on("tlsClientError", (error) => log.debug({ err: error }, "TLS handshake failed"));
      // Their bytes are limited; a user may be in thousands of groups, each of which is a header.
      server.maxHeadersCount = 0;
      refuseUnreadable(server, {
        drain: draining,
        clock: options.clock,
        headerBytes: limits.headerBytes,
        onError: ({ code }, { remoteAddress: sourceAddress }) =>
          log.debug({ code, sourceAddress }, "unreadable request"),
      });
      // Without these, node would treat an expectation of a body as accepted, and refuse others without a Status.
      server.on("checkContinue", handler);
      server.on("checkExpectation", handler);
      return listen(server, options);
    },
    update: (material) => {
      server?.setSecureContext(contextOptions(material.main));
      sni = sniContexts(material);
    },
    keep: (socket) => limit?.keep(socket),
    close: async (graceMs) => {
      await drain?.close({ idleMs: Math.min(idleMs, graceMs), graceMs });
    },
  };
}

function secureContextOptions(pair: KeyPair, { minVersion, ciphers }: ListenerOptions): SecureContextOptions {
  return {
    cert: pair.certPem,
    key: pair.keyPem,
    // No CA here: OpenSSL could only say that one of all CAs issued the certificate, and where it can, node does not
    // show the intermediate certificates that are needed to say which. Clients read the empty list as "send any".
    ca: [],
    minVersion,
    // A resumed session would not show the peer's intermediate certificates.
    secureOptions: constants.SSL_OP_NO_TICKET,
    ...(ciphers === undefined ? {} : { ciphers }),
  };
}

function serverOptions(limits: ListenerLimits): ServerOptions {
  return {
    // Requested, not required: probes and token holders have none.
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
    handshakeTimeout: limits.handshakeTimeoutMs,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, 5000),
    insecureHTTPParser: false,
    // The protocol checks refuse it with a reason.
    requireHostHeader: false,
    noDelay: true,
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
