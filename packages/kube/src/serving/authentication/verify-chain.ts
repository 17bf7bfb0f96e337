// Verifies the certificate chain of a client.
import { type CertificateDetails, certificateDetails } from "./certificate-details.ts";
import type { Certificate } from "./certificates.ts";

export type ChainResult =
  | {
      readonly ok: true;
      /** The result is valid until the first certificate of the chain expires. */
      readonly validUntilMs: number;
      readonly leaf: CertificateDetails;
    }
  | { readonly ok: false; readonly reason: string };

export interface ChainInput {
  readonly leaf: Certificate;
  /** What the peer sent besides its leaf. Not trusted. */
  readonly intermediates: readonly Certificate[];
  readonly anchors: readonly Certificate[];
  readonly nowMs: number;
}

const clientAuth = "1.3.6.1.5.5.7.3.2";
const anyUsage = "2.5.29.37.0";
const maxIntermediates = 4;
/** A peer chooses what it sends; this bounds what checking it may cost. */
const maxSignatureChecks = 24;

interface Search {
  readonly input: ChainInput;
  checksLeft: number;
}

/**
 * Whether a client certificate was issued by one of exactly these anchors. TLS itself can only say that the
 * union of all client CAs issued a certificate, and that is not enough to trust its X-Remote-* headers.
 * @upstream crypto/x509/verify.go#Verify
 */
export function verifyClientChain(input: ChainInput): ChainResult {
  const leaf = inspect(input.leaf, input.nowMs);
  if (typeof leaf === "string") return { ok: false, reason: leaf };
  const search: Search = { input, checksLeft: maxSignatureChecks };
  const expiry = climb(search, input.leaf, []);
  if (expiry === undefined) return { ok: false, reason: "certificate signed by unknown authority" };
  return { ok: true, validUntilMs: Math.min(expiry, input.leaf.notAfterMs), leaf };
}

/** The earliest expiry of the authorities above a certificate, or undefined when none leads to an anchor. */
function climb(search: Search, certificate: Certificate, path: readonly Certificate[]): number | undefined {
  const { anchors, intermediates } = search.input;
  for (const anchor of anchors) {
    if (isIssuer(search, anchor, certificate, path.length)) return anchor.notAfterMs;
  }
  if (path.length >= maxIntermediates) return undefined;
  for (const candidate of intermediates) {
    const isOnPath = path.some((known) => known.fingerprint === candidate.fingerprint);
    if (!isOnPath && isIssuer(search, candidate, certificate, path.length)) {
      const above = climb(search, candidate, [...path, candidate]);
      if (above !== undefined) return Math.min(above, candidate.notAfterMs);
    }
  }
  return undefined;
}

function isIssuer(
  search: Search,
  issuer: Certificate,
  subject: Certificate,
  authoritiesBelow: number,
): boolean {
  if (!issuer.x509.ca || !subject.x509.checkIssued(issuer.x509) || search.checksLeft <= 0) return false;
  search.checksLeft--;
  if (!subject.x509.verify(issuer.x509.publicKey)) return false;
  const details = inspect(issuer, search.input.nowMs);
  return (
    typeof details !== "string" &&
    details.isAuthority &&
    details.maySignCertificates &&
    (details.pathLength === undefined || details.pathLength >= authoritiesBelow)
  );
}

/** The certificate's details, or why it cannot be part of any chain. */
function inspect(certificate: Certificate, nowMs: number): CertificateDetails | string {
  if (!(nowMs >= certificate.notBeforeMs && nowMs <= certificate.notAfterMs))
    return "certificate has expired or is not yet valid";
  let details: CertificateDetails;
  try {
    details = certificateDetails(certificate);
  } catch (error) {
    return `certificate cannot be read: ${String(error)}`;
  }
  if (details.unknownCriticalExtension !== undefined)
    return `unhandled critical extension ${details.unknownCriticalExtension}`;
  if (details.extendedKeyUsages !== undefined && !allowsClients(details.extendedKeyUsages))
    return "certificate is not meant for client authentication";
  const isSelfIssued = certificate.x509.subject === certificate.x509.issuer;
  return details.hasWeakSignature && !isSelfIssued ? "certificate has an insecure signature" : details;
}

function allowsClients(usages: readonly string[]): boolean {
  return usages.includes(clientAuth) || usages.includes(anyUsage);
}
