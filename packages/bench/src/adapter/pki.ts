// The certificates of the benchmark's servers and clients.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** One authority, the serving certificate of every server under test, and the front proxy's client certificate. */
export interface Pki {
  readonly ca: string;
  readonly server: KeyPair;
  /** Another serving certificate, which takes the place of the first one. */
  readonly renewed: KeyPair;
  readonly frontProxy: KeyPair;
}

export const frontProxyName = "front-proxy-client";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const serverAuth = "1.3.6.1.5.5.7.3.1";
const clientAuth = "1.3.6.1.5.5.7.3.2";
const authorityName = "CN=bench-ca";
const dayMs = 86_400_000;

export async function createPki(): Promise<Pki> {
  const authority = await newKeys();
  const lifetime = { notBefore: new Date(Date.now() - dayMs), notAfter: new Date(Date.now() + dayMs) };
  const ca = await X509CertificateGenerator.create({
    serialNumber: "01",
    subject: authorityName,
    issuer: authorityName,
    ...lifetime,
    signingAlgorithm: algorithm,
    publicKey: authority.publicKey,
    signingKey: authority.privateKey,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ],
  });
  const issue = async (commonName: string, usage: string, serialNumber: string): Promise<KeyPair> => {
    const keys = await newKeys();
    const certificate = await X509CertificateGenerator.create({
      serialNumber,
      subject: `CN=${commonName}`,
      issuer: authorityName,
      ...lifetime,
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey: authority.privateKey,
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([usage]),
        new SubjectAlternativeNameExtension([
          { type: "dns", value: "localhost" },
          { type: "ip", value: "127.0.0.1" },
        ]),
      ],
    });
    const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
    return {
      cert: `${certificate.toString("pem")}\n`,
      key: `${PemConverter.encode(pkcs8, "PRIVATE KEY")}\n`,
    };
  };
  return {
    ca: `${ca.toString("pem")}\n`,
    server: await issue("localhost", serverAuth, "02"),
    renewed: await issue("localhost", serverAuth, "04"),
    frontProxy: await issue(frontProxyName, clientAuth, "03"),
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}
