// Listens on loopback with TLS and optional client certificates.
import type { RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { limitConnections, localLimits, serverOptions } from "@plimsoll/component-base/process";
import type { KeyPair } from "../tls/certificate-authority.ts";

export interface HttpsListener {
  readonly port: number;
  /** Ends every connection, also those with a watch on it. */
  close(): Promise<void>;
}

/** Requests a client certificate of the CA, and also serves clients without one. */
export async function listenHttps(options: {
  port: number;
  serving: KeyPair;
  clientCaPem: string;
  handler: RequestListener;
}): Promise<HttpsListener> {
  const server = createServer(
    {
      ...serverOptions(localLimits.sandbox),
      key: options.serving.keyPem,
      cert: options.serving.certPem,
      ca: [options.clientCaPem],
      requestCert: true,
      rejectUnauthorized: false,
      minVersion: "TLSv1.2",
    },
    options.handler,
  );
  const limit = limitConnections(server, localLimits.sandbox);
  // Whoever sent a request is a client of this sandbox.
  server.on("request", ({ socket }) => limit.keep(socket));
  // Also connections whose handshake is not over, which the server itself does not list.
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await listening(server, options.port);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}
