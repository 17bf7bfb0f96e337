// Requests to another process of this deployment, over TLS that is pinned to the certificate which it announced.
import { createHash } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import { connect, type TLSSocket } from "node:tls";
import { type Clock, messageOf } from "@plimsoll/component-base";
import { type Announcement, placeOf } from "../../leadership/announcement.ts";

/** A process that could not be reached, or is not the one it should be. */
export class PeerError extends Error {
  override readonly name = "PeerError";
}

export interface PeerRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the request, and the response. */
  readonly signal: AbortSignal;
}

/** Sends GETs to processes by their announcements. */
export type PeerClient = ReturnType<typeof createPeerClient>;

/** From the first packet to the headers of the response. */
const timeoutMs = 10_000;
/** After the headers: a stream shows every 15 s that it lives. */
const maxIdleMs = 60_000;

export function createPeerClient(
  clock: Pick<Clock, "after">,
  { idleMs = maxIdleMs }: { readonly idleMs?: number } = {},
) {
  return {
    /** @throws PeerError before anything is sent to the wrong one. */
    async get(peer: Announcement, { path, headers, signal }: PeerRequest): Promise<IncomingMessage> {
      if (signal.aborted) throw new PeerError("the caller is gone");
      const { host, port } = placeOf(peer);
      const socket = connect({ host, port, rejectUnauthorized: false, minVersion: "TLSv1.2" });
      // A second error, after the one that is reported, has no other listener.
      socket.on("error", () => {});
      const end = (): void => void socket.destroy();
      signal.addEventListener("abort", end, { once: true });
      socket.once("close", () => signal.removeEventListener("abort", end));
      const cancel = clock.after(timeoutMs, () => socket.destroy(new Error("no response within 10 s")));
      try {
        await pinned(socket, peer);
        const message = await response(socket, { path, headers: { ...headers, host: peer.address } });
        socket.setTimeout(idleMs, () => socket.destroy(new Error("no data for a minute")));
        return message;
      } catch (error) {
        socket.destroy();
        throw new PeerError(messageOf(error));
      } finally {
        cancel();
      }
    },
  };
}

/** Resolves when the peer has shown the certificate that it announced; nothing is sent before. */
function pinned(socket: TLSSocket, { sha256 }: Announcement): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the connection was closed")));
    socket.once("secureConnect", () => {
      const { raw } = socket.getPeerCertificate();
      const shown = raw === undefined ? "" : createHash("sha256").update(raw).digest("hex");
      if (shown === sha256) resolve();
      else reject(new Error("its certificate differs from the one in the lease; nothing was sent"));
    });
  });
}

function response(
  socket: TLSSocket,
  options: Pick<PeerRequest, "path" | "headers">,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, createConnection: () => socket }, resolve);
    sent.once("error", reject);
    sent.end();
  });
}
