// Limits open connections.
import type { Server, Socket } from "node:net";

/** A limit of connections. At the limit the oldest one without an identity is closed for a new one. */
export interface ConnectionLimit {
  /**
   * The caller on this connection has an identity: the limit does not close it. Of a user that is named this is so for a
   * quarter of all connections: no user takes those of all others.
   */
  keep(socket: Socket, user?: string): void;
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
  const ofUser = new Map<string, number>();
  return {
    keep(socket, user) {
      if (identified.has(socket)) return;
      const own = user === undefined ? 0 : (ofUser.get(user) ?? 0);
      if (own >= max / 4) return;
      identified.add(socket);
      unidentified.delete(peerOf(socket));
      if (user === undefined) return;
      ofUser.set(user, own + 1);
      socket.once("close", () => {
        const left = (ofUser.get(user) ?? 1) - 1;
        if (left > 0) ofUser.set(user, left);
        else ofUser.delete(user);
      });
    },
  };
}

/** The same for a socket and for the one inside TLS. */
/** The address and port of the other end: one name for each socket of a server. */
export function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${String(remoteAddress)} ${String(remotePort)}`;
}
