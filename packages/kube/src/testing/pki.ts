// Certificate authorities of tests, and the certificates that they sign.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

const rsa = { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
const algorithms = {
  ec: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  rsa: { ...rsa, hash: "SHA-256" },
  "rsa-sha1": { ...rsa, hash: "SHA-1" },
};

type Algorithm = keyof typeof algorithms;

function generateKeys(algorithm: Algorithm): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithms[algorithm], true, ["sign", "verify"]);
}
const clientAuth = "1.3.6.1.5.5.7.3.2";
const serverAuth = "1.3.6.1.5.5.7.3.1";
const dayMs = 86_400_000;

/** What signs certificates. */
export interface Authority {
  readonly pem: string;
  readonly name: string;
  readonly keys: webcrypto.CryptoKeyPair;
  readonly algorithm: Algorithm;
}

/** A certificate with its key. */
export interface Identity {
  /** With the chain behind it, when there is one. */
  readonly cert: string;
  readonly key: string;
}

interface Lifetime {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

function lifetime(options: Lifetime): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return {
    notBefore: options.notBefore ?? new Date(now - dayMs),
    notAfter: options.notAfter ?? new Date(now + 30 * dayMs),
  };
}

let serial = 1;
const nextSerial = (): string => (++serial).toString(16).padStart(4, "0");

/** An authority that signs itself, or has an issuer. */
export async function createAuthority(
  commonName: string,
  options: Lifetime & { issuer?: Authority; pathLength?: number; algorithm?: Algorithm } = {},
): Promise<Authority> {
  const algorithm = options.algorithm ?? "ec";
  const keys = await generateKeys(algorithm);
  const name = `CN=${commonName}`;
  const signer = options.issuer ?? { name, keys, algorithm };
  const certificate = await X509CertificateGenerator.create({
    serialNumber: nextSerial(),
    subject: name,
    issuer: signer.name,
    ...lifetime(options),
    signingAlgorithm: algorithms[signer.algorithm],
    publicKey: keys.publicKey,
    signingKey: signer.keys.privateKey,
    extensions: [
      new BasicConstraintsExtension(true, options.pathLength, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { pem: `${certificate.toString("pem")}\n`, name, keys, algorithm };
}

/** What is in a certificate. */
export interface LeafOptions extends Lifetime {
  readonly usage?: "client" | "server" | "none";
  readonly hosts?: readonly string[];
  /** Sent along, behind the leaf. */
  readonly chain?: string;
  /** OID of an extension that is unknown and critical. */
  readonly criticalExtension?: string;
  /** Whether it names its issuer's key; default true. */
  readonly namesIssuerKey?: boolean;
}

/** A certificate, of a client if nothing else is said. @param subject Such as "O=team,CN=bob". */
export async function issue(
  authority: Authority,
  subject: string,
  options: LeafOptions = {},
): Promise<Identity> {
  const keys = await generateKeys("ec");
  const usage = options.usage ?? "client";
  const certificate = await X509CertificateGenerator.create({
    serialNumber: nextSerial(),
    subject,
    issuer: authority.name,
    ...lifetime(options),
    signingAlgorithm: algorithms[authority.algorithm],
    publicKey: keys.publicKey,
    signingKey: authority.keys.privateKey,
    extensions: [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      ...(usage === "none"
        ? []
        : [new ExtendedKeyUsageExtension([usage === "client" ? clientAuth : serverAuth])]),
      ...(options.hosts === undefined
        ? []
        : [
            new SubjectAlternativeNameExtension(
              options.hosts.map((host) => ({
                type: /^\d/.test(host) ? ("ip" as const) : ("dns" as const),
                value: host,
              })),
            ),
          ]),
      ...(options.namesIssuerKey === false
        ? []
        : [await AuthorityKeyIdentifierExtension.create(authority.keys.publicKey)]),
      ...(options.criticalExtension === undefined
        ? []
        : [new Extension(options.criticalExtension, true, new Uint8Array([5, 0]))]),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return {
    cert: `${certificate.toString("pem")}\n${options.chain ?? ""}`,
    key: `${PemConverter.encode(pkcs8, "PRIVATE KEY")}\n`,
  };
}
