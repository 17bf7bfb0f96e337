// Reads extensions of certificates that node:crypto does not report.
import "reflect-metadata";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate,
} from "@peculiar/x509";
import type { Certificate } from "./certificates.ts";

/** What node:crypto does not report about a certificate, read from the DER. */
export interface CertificateDetails {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly isAuthority: boolean;
  /** How many further authorities may follow below this one; undefined when it has no limit. */
  readonly pathLength: number | undefined;
  readonly maySignCertificates: boolean;
  /** Undefined: any. */
  readonly extendedKeyUsages: readonly string[] | undefined;
  readonly hasWeakSignature: boolean;
  /** An extension that must be understood and that we do not evaluate. */
  readonly unknownCriticalExtension: string | undefined;
}

/** Key usage, SAN, basic constraints, CRL points, policies, key identifiers, extended key usage. */
const understood = new Set([
  "2.5.29.15",
  "2.5.29.17",
  "2.5.29.19",
  "2.5.29.31",
  "2.5.29.32",
  "2.5.29.35",
  "2.5.29.14",
  "2.5.29.37",
]);

/** @throws Error when the DER cannot be read. */
export function certificateDetails(certificate: Certificate): CertificateDetails {
  const parsed = new X509Certificate(new Uint8Array(certificate.x509.raw));
  const basic = parsed.getExtension(BasicConstraintsExtension);
  const keyUsage = parsed.getExtension(KeyUsagesExtension);
  const extended = parsed.getExtension(ExtendedKeyUsageExtension);
  const unknown = parsed.extensions.find(
    (extension) => extension.critical && !understood.has(extension.type),
  );
  return {
    // Go keeps the last of several common names; a client with two must not be two users.
    commonName: parsed.subjectName.getField("CN").at(-1) ?? "",
    organizations: parsed.subjectName.getField("O"),
    isAuthority: basic?.ca === true,
    pathLength: basic?.pathLength,
    maySignCertificates: keyUsage === null || (keyUsage.usages & KeyUsageFlags.keyCertSign) !== 0,
    extendedKeyUsages: extended?.usages.map(String),
    hasWeakSignature: isWeak(parsed.signatureAlgorithm),
    unknownCriticalExtension: unknown?.type,
  };
}

function isWeak(algorithm: { readonly hash?: { readonly name: string } | undefined }): boolean {
  return algorithm.hash !== undefined && /^(SHA-?1|MD5|MD2)$/i.test(algorithm.hash.name);
}
