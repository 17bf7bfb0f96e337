import { createServer, type RequestListener } from "node:http";

export interface BoundAddress {
  readonly address: string;
  readonly port: number;
}

export interface HttpServer {
  listen(): Promise<BoundAddress>;
  close(): Promise<void>;
}

/** A plain HTTP listener; port 0 takes a free one. */
export function createHttpServer(o: {
  readonly handler: RequestListener;
  readonly address: string;
  readonly port: number;
}): HttpServer {
  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 10_000, maxHeaderSize: 16_384 },
    o.handler,
  );
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
