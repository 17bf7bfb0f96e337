import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { type Certificate, describeCertificate } from "./certificates.ts";

/** The certificates that a client showed. */
export interface Peer {
  readonly leaf: Certificate;
  readonly intermediates: readonly Certificate[];
}

const maxChain = 6;
const known = new WeakMap<Socket, { readonly peer: Peer | undefined }>();

/** What the client of this connection presented; read once per connection, as it cannot change. */
export function peerOf(socket: Socket): Peer | undefined {
  const cached = known.get(socket);
  if (cached !== undefined) {
    return cached.peer;
  }
  const peer = socket instanceof TLSSocket ? readPeer(socket) : undefined;
  known.set(socket, { peer });
  return peer;
}

function readPeer(socket: TLSSocket): Peer | undefined {
  const leaf = socket.getPeerX509Certificate();
  if (leaf === undefined) {
    return undefined;
  }
  const intermediates: Certificate[] = [];
  let issuer: X509Certificate | undefined = leaf.issuerCertificate;
  while (issuer !== undefined && intermediates.length < maxChain) {
    intermediates.push(describeCertificate(issuer));
    issuer = issuer.issuerCertificate;
  }
  return { leaf: describeCertificate(leaf), intermediates };
}
