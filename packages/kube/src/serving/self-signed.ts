// Generates a certificate for a server that was given none.
import { dayMs } from "@plimsoll/core/internal/values";
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A new certificate, in PEM. */
export interface GeneratedCertificate {
  /** The serving certificate, then the authority that signed it. */
  readonly certPem: string;
  readonly keyPem: string;
  /** What an APIService takes as caBundle. */
  readonly caPem: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
/** Long, because the authority's key is thrown away: a new certificate means a new caBundle. */
const lifetimeMs = 3650 * dayMs;
/** Clocks of two machines differ. */
const backdateMs = 3_600_000;

/**
 * A serving certificate signed by an authority made for it alone.
 * @param hosts DNS names and IP addresses to be valid for.
 */
export async function generateServingCertificate(
  hosts: readonly string[],
  nowMs: number,
): Promise<GeneratedCertificate> {
  const { subtle } = webcrypto;
  const authorityKeys = await subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const servingKeys = await subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const validity = { notBefore: new Date(nowMs - backdateMs), notAfter: new Date(nowMs + lifetimeMs) };
  const authorityName = `CN=plimsoll-serving-ca@${Math.floor(nowMs / 1000)}`;
  const authority = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: authorityName,
    ...validity,
    signingAlgorithm: algorithm,
    keys: authorityKeys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const serving = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: `CN=plimsoll-serving@${Math.floor(nowMs / 1000)}`,
    issuer: authorityName,
    ...validity,
    signingAlgorithm: algorithm,
    publicKey: servingKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        hosts.map((host) => ({ type: isIP(host) === 0 ? ("dns" as const) : ("ip" as const), value: host })),
      ),
      await AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
      await SubjectKeyIdentifierExtension.create(servingKeys.publicKey),
    ],
  });
  const caPem = `${authority.toString("pem")}\n`;
  const pkcs8 = await subtle.exportKey("pkcs8", servingKeys.privateKey);
  return {
    certPem: `${serving.toString("pem")}\n${caPem}`,
    keyPem: `${PemConverter.encode(pkcs8, "PRIVATE KEY")}\n`,
    caPem,
  };
}

function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  // A serial number is positive and has no leading zero byte.
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return Buffer.from(bytes).toString("hex");
}
