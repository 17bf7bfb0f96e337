// Certificates for servers and clients, from an authority in memory.
import { dayMs } from "@plimsoll/core/internal/values";
import "reflect-metadata";
import { randomBytes, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A private key and its certificate, in PEM. */
export interface KeyPair {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface CertificateAuthority {
  readonly certPem: string;
  /** For a server: valid for these DNS names and IP addresses. */
  issueServer(
    commonName: string,
    names: { dns: readonly string[]; ips: readonly string[] },
  ): Promise<KeyPair>;
  /** For a client: the common name is the user, organizations are the groups. */
  issueClient(commonName: string, organizations: readonly string[]): Promise<KeyPair>;
}

/** A CA of EC P-256 keys that lives as long as the process. */
export async function createCertificateAuthority(
  commonName: string,
  nowMs: number,
): Promise<CertificateAuthority> {
  x509.cryptoProvider.set("default", webcrypto);
  const keys = await generateKeys();
  const validity = { notBefore: new Date(nowMs - dayMs), notAfter: new Date(nowMs + 365 * dayMs) };
  const name = `CN=${escapeName(commonName)}`;
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name,
    keys,
    signingAlgorithm: algorithm,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const issue = async (subject: string, extensions: x509.Extension[]): Promise<KeyPair> => {
    const leaf = await generateKeys();
    const issued = await x509.X509CertificateGenerator.create({
      serialNumber: serial(),
      subject,
      issuer: certificate.subject,
      publicKey: leaf.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: algorithm,
      ...validity,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
        ...extensions,
      ],
    });
    return { certPem: pem(issued), keyPem: await privatePem(leaf.privateKey) };
  };
  return {
    certPem: pem(certificate),
    issueServer: (serverName, { dns, ips }) =>
      issue(`CN=${escapeName(serverName)}`, [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension([
          ...dns.map((value) => ({ type: "dns" as const, value })),
          ...ips.map((value) => ({ type: "ip" as const, value })),
        ]),
      ]),
    issueClient: (user, organizations) =>
      issue([...organizations.map((one) => `O=${escapeName(one)}`), `CN=${escapeName(user)}`].join(","), [
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
      ]),
  };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
}

function pem(certificate: x509.X509Certificate): string {
  return `${certificate.toString("pem")}\n`;
}

function serial(): string {
  // A leading 4 keeps the number positive and of full length.
  return `4${randomBytes(8).toString("hex").slice(1)}`;
}

function escapeName(text: string): string {
  return text.replace(/[\\,+"<>;=#]/g, (character) => `\\${character}`);
}
