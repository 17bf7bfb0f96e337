// The listeners of the process, with their limits.
import { constants } from "node:crypto";
import { createServer as createHttp, type RequestListener, type Server } from "node:http";
import { createServer as createHttps, type Server as HttpsServer } from "node:https";
import { systemClock } from "@plimsoll/component-base";
import { createDrain, type KeyPair, refuseUnreadable } from "@plimsoll/kube/serving";

export interface BoundAddress {
  readonly address: string;
  readonly port: number;
}

export interface HttpServer {
  listen(): Promise<BoundAddress>;
  close(): Promise<void>;
}

export interface ListenerOptions {
  readonly handler: RequestListener;
  readonly address: string;
  /** 0: a free one. */
  readonly port: number;
}

/** Makes a listener for plain HTTP; it accepts connections after listen. */
export type Listen = (options: ListenerOptions) => HttpServer;

const limits = { requestTimeout: 30_000, headersTimeout: 10_000, maxHeaderSize: 16_384 };

/** A plain HTTP listener. */
export function createHttpServer(options: ListenerOptions): HttpServer {
  return listener(createHttp(limits, options.handler), options);
}

export interface HttpsListener extends HttpServer {
  /** For new connections. */
  update(pair: KeyPair): void;
}

/** A listener that shows the given certificate. */
export function createHttpsServer(options: ListenerOptions & { readonly pair: KeyPair }): HttpsListener {
  const context = ({ certPem, keyPem }: KeyPair) => ({
    cert: certPem,
    key: keyPem,
    // None: who issued a client's certificate is checked against each of the cluster's authorities by itself.
    ca: [],
    minVersion: "TLSv1.2" as const,
    // A resumed session would not show the peer's intermediate certificates.
    secureOptions: constants.SSL_OP_NO_TICKET,
  });
  const server = createHttps(
    {
      ...limits,
      ...context(options.pair),
      // Requested, not required: probes and holders of tokens have none.
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ["http/1.1"],
      handshakeTimeout: 10_000,
    },
    options.handler,
  );
  return { ...listener(server, options), update: (pair) => server.setSecureContext(context(pair)) };
}

function listener(server: Server | HttpsServer, { address, port }: ListenerOptions): HttpServer {
  server.maxConnections = 1000;
  // As node's own timeouts of connections, not on a clock that may be made to stand still.
  const drain = createDrain(server, systemClock);
  refuseUnreadable(server, { drain, clock: systemClock, headerBytes: limits.maxHeaderSize });
  return { listen, close };

  function listen(): Promise<BoundAddress> {
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: address, port }, () => {
        server.off("error", reject);
        const bound = server.address();
        if (bound === null || typeof bound === "string") reject(new Error("the listener has no address"));
        else resolve({ address: bound.address, port: bound.port });
      });
    });
  }

  function close(): Promise<void> {
    return drain.close({ idleMs: 500, graceMs: 5_000 });
  }
}
