// Limits open connections.
import type { Server, Socket } from "node:net";

/** A limit of connections. At the limit the oldest one without an identity is closed for a new one. */
export interface ConnectionLimit {
  /** The caller on this connection has an identity: the limit does not close it. */
  keep(socket: Socket): void;
}

export function createConnectionLimit(server: Server, max: number): ConnectionLimit {
  const open = new Map<string, Socket>();
  /** From the oldest to the newest. */
  const unidentified = new Map<string, Socket>();
  const forget = (key: string, socket: Socket): void => {
    if (open.get(key) === socket) open.delete(key);
    if (unidentified.get(key) === socket) unidentified.delete(key);
  };
  // Node would close the new connection.
  server.maxConnections = max + 1;
  server.on("connection", (socket: Socket) => {
    const key = peerOf(socket);
    open.set(key, socket);
    unidentified.set(key, socket);
    socket.once("close", () => forget(key, socket));
    if (open.size <= max) return;
    const [first] = unidentified;
    if (first === undefined) return;
    forget(...first);
    first[1].destroy();
  });
  const identified = new WeakSet<Socket>();
  return {
    keep(socket) {
      if (identified.has(socket)) return;
      identified.add(socket);
      unidentified.delete(peerOf(socket));
    },
  };
}

/** The same for a socket and for the one inside TLS. */
function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${String(remoteAddress)} ${String(remotePort)}`;
}
