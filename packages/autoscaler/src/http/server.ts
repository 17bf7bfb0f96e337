import { createServer as createHttp, type RequestListener, type Server } from "node:http";
import { createServer as createHttps, type Server as HttpsServer } from "node:https";
import type { KeyPair } from "@plimsoll/kube/serving";

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

const limits = { requestTimeout: 30_000, headersTimeout: 10_000, maxHeaderSize: 16_384 };

/** A plain HTTP listener. */
export function createHttpServer(o: ListenerOptions): HttpServer {
  return listener(createHttp(limits, o.handler), o);
}

export interface HttpsListener extends HttpServer {
  /** For new connections. */
  update(pair: KeyPair): void;
}

/** A listener that shows the given certificate. */
export function createHttpsServer(o: ListenerOptions & { readonly pair: KeyPair }): HttpsListener {
  const context = ({ certPem, keyPem }: KeyPair) => ({
    cert: certPem,
    key: keyPem,
    minVersion: "TLSv1.2" as const,
  });
  const server = createHttps(
    { ...limits, ...context(o.pair), ALPNProtocols: ["http/1.1"], handshakeTimeout: 10_000 },
    o.handler,
  );
  return { ...listener(server, o), update: (pair) => server.setSecureContext(context(pair)) };
}

function listener(server: Server | HttpsServer, o: ListenerOptions): HttpServer {
  server.maxConnections = 1000;
  return { listen, close };

  function listen(): Promise<BoundAddress> {
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: o.address, port: o.port }, () => {
        server.off("error", reject);
        const bound = server.address();
        if (bound === null || typeof bound === "string") reject(new Error("the listener has no address"));
        else resolve({ address: bound.address, port: bound.port });
      });
    });
  }

  async function close(): Promise<void> {
    if (!server.listening) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  }
}
