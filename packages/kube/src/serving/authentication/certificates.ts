import { X509Certificate } from "node:crypto";

/** A certificate, parsed once because parsing is expensive. */
export interface Certificate {
  readonly x509: X509Certificate;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly fingerprint: string;
}

const pemBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * All certificates of a PEM bundle, in order.
 * @throws Error when there is none, or one cannot be parsed.
 */
export function parseCertificates(pem: string): readonly Certificate[] {
  const blocks = pem.match(pemBlock) ?? [];
  if (blocks.length === 0) throw new Error("no CERTIFICATE block in the PEM data");
  return blocks.map((block) => describeCertificate(new X509Certificate(block)));
}

export function describeCertificate(x509: X509Certificate): Certificate {
  return {
    x509,
    notBeforeMs: Date.parse(x509.validFrom),
    notAfterMs: Date.parse(x509.validTo),
    fingerprint: x509.fingerprint256,
  };
}
