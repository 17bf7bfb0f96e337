// Authorities, and client certificates that they sign.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  X509CertificateGenerator,
} from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const dayMs = 86_400_000;
let serial = 1;

export interface Authority {
  readonly pem: string;
  /** @param subject Such as "O=team,CN=bob". */
  issue(subject: string): Promise<{ readonly cert: string; readonly key: string }>;
}

export async function createAuthority(commonName: string): Promise<Authority> {
  const { subtle } = webcrypto;
  const validity = { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + dayMs) };
  const keys = await subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const authority = await X509CertificateGenerator.createSelfSigned({
    serialNumber: `${++serial}`.padStart(4, "0"),
    name: `CN=${commonName}`,
    ...validity,
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ],
  });
  return {
    pem: `${authority.toString("pem")}\n`,
    async issue(subject) {
      const own = await subtle.generateKey(algorithm, true, ["sign", "verify"]);
      const issued = await X509CertificateGenerator.create({
        serialNumber: `${++serial}`.padStart(4, "0"),
        subject,
        issuer: authority.subject,
        ...validity,
        signingAlgorithm: algorithm,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        extensions: [new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth])],
      });
      const pkcs8 = await subtle.exportKey("pkcs8", own.privateKey);
      return { cert: `${issued.toString("pem")}\n`, key: PemConverter.encode(pkcs8, "PRIVATE KEY") };
    },
  };
}
