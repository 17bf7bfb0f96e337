import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

export interface Identity {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  readonly pem: string;
  issue(name: string): Promise<Identity>;
}

let serial = 1;

/** A certificate authority of its own; what it issues is good for 127.0.0.1. */
export async function createAuthority(name: string): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: nextSerial(),
    name: `CN=${name}`,
    ...lifetime(),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    pem: certificate.toString("pem"),
    async issue(subject) {
      const own = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
      const issued = await X509CertificateGenerator.create({
        serialNumber: nextSerial(),
        subject: `CN=${subject}`,
        issuer: certificate.subject,
        ...lifetime(),
        signingAlgorithm: algorithm,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        extensions: [new SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }])],
      });
      const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", own.privateKey);
      return { cert: issued.toString("pem"), key: PemConverter.encode(pkcs8, "PRIVATE KEY") };
    },
  };
}

function nextSerial(): string {
  serial += 1;
  return serial.toString(16).padStart(4, "0");
}

function lifetime(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - 86_400_000), notAfter: new Date(now + 86_400_000) };
}
