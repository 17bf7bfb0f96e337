// The listeners of a process in the cluster: plain HTTP, and HTTPS that asks for a client certificate.
import { constants } from "node:crypto";
import {
  createServer as createHttp,
  type Server as HttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createHttps, type Server as HttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createSecureContext, type SecureContextOptions, type SecureVersion } from "node:tls";
import type { Clock, Logger } from "@plimsoll/component-base";
import { limitConnections, type ServerLimits, serverOptions } from "@plimsoll/component-base/process";
import { createDrain, type DrainTimes } from "../drain.ts";
import { refuseUnreadable } from "../refusals.ts";
import type { KeyPair, ServingMaterial } from "../serving-certificate.ts";
import { listenerLimits, requestLimits } from "./limits.ts";
import { sendStatus, tooManyRequests } from "./status.ts";

/** Where a listener accepts connections. */
export interface BoundAddress {
  readonly address: string;
  readonly port: number;
}

/** Where to listen, and what serves the requests. */
export interface ListenerOptions {
  readonly handler: RequestListener;
  readonly address: string;
  /** 0: any free one. */
  readonly port: number;
  readonly isPortShared?: boolean;
  /** Default: those of every listener in the cluster. */
  readonly limits?: ServerLimits;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Which TLS is spoken. */
export interface TlsOptions {
  /** Default: 1.2. */
  readonly minVersion?: SecureVersion;
  /** OpenSSL's list; absent: node's defaults. */
  readonly ciphers?: string | undefined;
}

/** Accepts connections and serves their requests. */
export interface Listener {
  /** @throws when the port cannot be used. */
  listen(): Promise<BoundAddress>;
  /** Stops accepting, serves what arrives on open connections, and closes them. */
  close(times: DrainTimes): Promise<void>;
}

/** A listener with TLS. Connections end with the response, unless their caller has an identity. */
export interface SecureListener extends Listener {
  /** For new connections; those that are open keep what they have. */
  update(material: ServingMaterial): void;
  /** The caller has an identity: the connection stays open, and the limit of connections closes none of its first 512. */
  keep(request: IncomingMessage, user: string): void;
}

/** A listener without TLS. */
export function createHttpListener(options: ListenerOptions): Listener {
  return listener(createHttp(httpOptions(options)), options);
}

/** A listener that shows the given certificates. */
export function createSecureListener(
  options: ListenerOptions & TlsOptions & { readonly material: ServingMaterial },
): SecureListener {
  const { log } = options;
  const contexts = (pairs: ServingMaterial["sni"]) =>
    new Map(
      pairs.flatMap((pair) => {
        const context = createSecureContext(contextOptions(pair, options));
        return pair.domains.map((domain) => [domain.toLowerCase(), context] as const);
      }),
    );
  let sni = contexts(options.material.sni);
  const server = createHttps({
    ...httpOptions(options),
    ...contextOptions(options.material.main, options),
    // Requested, not required: probes and holders of tokens have none.
    requestCert: true,
    rejectUnauthorized: false,
    ALPNProtocols: ["http/1.1"],
    SNICallback: (name, done) => {
      const host = name.toLowerCase();
      done(null, sni.get(host) ?? sni.get(host.replace(/^[^.]+/, "*")));
    },
  });
  server.on("tlsClientError", (error) => log.debug({ err: error }, "TLS handshake failed"));
  /** Responses under way whose connection would stay open if the caller had an identity. */
  const closing = new WeakMap<IncomingMessage, ServerResponse>();
  const handler: RequestListener = (request, response) => {
    if (response.shouldKeepAlive) closing.set(request, response);
    response.shouldKeepAlive = false;
    options.handler(request, response);
  };
  const { limit, ...open } = listener(server, { ...options, handler });
  return {
    ...open,
    update(material) {
      server.setSecureContext(contextOptions(material.main, options));
      sni = contexts(material.sni);
    },
    keep(request, user) {
      limit.keep(request.socket, user);
      const response = closing.get(request);
      if (response !== undefined) response.shouldKeepAlive = true;
    },
  };
}

function httpOptions({ limits = listenerLimits }: ListenerOptions) {
  return {
    ...serverOptions(limits),
    insecureHTTPParser: false,
    // The protocol checks refuse it with a reason.
    requireHostHeader: false,
    noDelay: true,
  };
}

function contextOptions({ certPem, keyPem }: KeyPair, options: TlsOptions): SecureContextOptions {
  return {
    cert: certPem,
    key: keyPem,
    // No CA here: OpenSSL could only say that one of all CAs issued the certificate, and where it can, node does not
    // show the intermediate certificates that are needed to say which. Clients read the empty list as "send any".
    ca: [],
    minVersion: options.minVersion ?? "TLSv1.2",
    // A resumed session would not show the peer's intermediate certificates.
    secureOptions: constants.SSL_OP_NO_TICKET,
    ...(options.ciphers === undefined ? {} : { ciphers: options.ciphers }),
  };
}

function listener(server: HttpServer | HttpsServer, options: ListenerOptions) {
  const { handler, limits = listenerLimits, clock, log } = options;
  const limit = limitConnections(server, limits);
  // Their bytes are limited; a user may be in thousands of groups, and each group is a header.
  server.maxHeadersCount = 0;
  // Without the last two, node would treat an expectation of a body as accepted, and refuse others without a Status.
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, serve);
  const drain = createDrain(server, clock);
  refuseUnreadable(server, {
    drain,
    clock,
    headerBytes: limits.headerBytes,
    onError: ({ code }, { remoteAddress: sourceAddress }) =>
      log.debug({ code, sourceAddress }, "unreadable request"),
  });
  return { limit, listen: () => listen(server, options), close: drain.close };

  function serve(request: IncomingMessage, response: ServerResponse): void {
    if (drain.inFlight(request.socket) <= requestLimits.inFlightOfOneConnection) {
      handler(request, response);
      return;
    }
    response.shouldKeepAlive = false;
    sendStatus(response, tooManyRequests);
  }
}

function listen(server: HttpServer | HttpsServer, options: ListenerOptions): Promise<BoundAddress> {
  const { address: host, port, isPortShared: reusePort = false, log } = options;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, reusePort }, () => {
      server.off("error", reject);
      server.on("error", (error) => log.error({ err: error }, "listener failed"));
      const bound = server.address() as AddressInfo;
      resolve({ address: bound.address, port: bound.port });
    });
  });
}
