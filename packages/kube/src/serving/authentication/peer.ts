// The client certificates of a TLS connection.
import { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { type DetailedPeerCertificate, TLSSocket } from "node:tls";
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
  if (cached !== undefined) return cached.peer;
  const peer = socket instanceof TLSSocket ? readPeer(socket) : undefined;
  known.set(socket, { peer });
  return peer;
}

/** The newer getPeerX509Certificate() is not used: it takes the first intermediate out of the session's chain. */
function readPeer(socket: TLSSocket): Peer | undefined {
  let sent: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  const chain: Certificate[] = [];
  // Without a certificate the object is empty. A chain may end in a certificate that names itself.
  while (sent?.raw !== undefined && chain.length < maxChain) {
    chain.push(describeCertificate(new X509Certificate(sent.raw)));
    const issuer: DetailedPeerCertificate | undefined = sent.issuerCertificate;
    sent = issuer === sent ? undefined : issuer;
  }
  const [leaf, ...intermediates] = chain;
  return leaf === undefined ? undefined : { leaf, intermediates };
}
