import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Common name of the client certificate. */
  readonly clientName: string | undefined;
  /** Which connection it came on, from 1. */
  readonly connection: number;
  readonly atMs: number;
}

export type Handler = (seen: Seen, res: ServerResponse) => void;

export interface FakeServer {
  readonly url: string;
  readonly seen: readonly Seen[];
  readonly connections: number;
  /** Common names of the certificates that clients showed, of each TLS connection. */
  readonly clientCertificates: readonly string[];
  /** Cuts all connections that are open. */
  cut(): void;
  close(): Promise<void>;
}

export interface FakeTls {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** A server on a real socket that responds as the test says, faults included. */
export async function startFakeServer(
  handle: Handler,
  options: { readonly tls?: FakeTls; readonly port?: number } = {},
): Promise<FakeServer> {
  const seen: Seen[] = [];
  const sockets = new Map<Socket, number>();
  const clientCertificates: string[] = [];
  let connections = 0;
  const listener = (req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    req.on("data", (chunk: Buffer) => chunks.push(chunk));
    req.on("end", () => {
      const url = new URL(req.url ?? "/", "http://fake");
      const peer = options.tls === undefined ? undefined : (req.socket as TLSSocket).getPeerCertificate();
      const entry: Seen = {
        method: req.method ?? "",
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: req.headers,
        body: Buffer.concat(chunks).toString("utf8"),
        clientName: peer?.subject?.CN?.toString(),
        connection: sockets.get(req.socket) ?? 0,
        atMs: performance.now(),
      };
      seen.push(entry);
      handle(entry, res);
    });
  };
  const server =
    options.tls === undefined
      ? createHttpServer(listener)
      : createHttpsServer(
          {
            cert: options.tls.cert,
            key: options.tls.key,
            ca: options.tls.ca,
            requestCert: true,
            rejectUnauthorized: false,
          },
          listener,
        );
  server.on(options.tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    connections += 1;
    if (options.tls !== undefined) {
      const name = (socket as TLSSocket).getPeerCertificate()?.subject?.CN?.toString();
      if (name !== undefined) clientCertificates.push(name);
    }
    sockets.set(socket, connections);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => {
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  const cut = () => {
    for (const socket of sockets.keys()) socket.destroy();
  };
  return {
    url: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${String(port)}`,
    seen,
    get connections() {
      return connections;
    },
    clientCertificates,
    cut,
    async close() {
      const closed = new Promise((resolve) => {
        server.close(resolve);
      });
      for (const socket of sockets.keys()) socket.destroy();
      await closed;
    },
  };
}

export function sendJson(
  res: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  res.writeHead(code, { "content-type": "application/json", ...headers });
  res.end(JSON.stringify(body));
}

export function status(
  code: number,
  reason: string,
  message: string,
  details?: unknown,
): Record<string, unknown> {
  return { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message, details };
}
