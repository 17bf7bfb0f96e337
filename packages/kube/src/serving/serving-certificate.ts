// The certificate that a server shows: from files that may change, or self-signed.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { createFilePoller, type FollowSeams } from "./file-poller.ts";
import { type CertificateStore, loadOrGenerate } from "./stored-certificate.ts";

/** A certificate with its private key. */
export interface KeyPair {
  readonly certPem: string;
  readonly keyPem: string;
  readonly notAfterMs: number;
}

/** A pair that is used for certain server names only. */
export interface SniKeyPair extends KeyPair {
  readonly domains: readonly string[];
}

/** All that a server shows. */
export interface ServingMaterial {
  readonly main: KeyPair;
  readonly sni: readonly SniKeyPair[];
}

/** The files of a pair for certain server names. */
export interface SniFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Empty: the names in the certificate. */
  readonly domains: readonly string[];
}

/** Where the certificate comes from, and whom a new one is reported to. */
export interface ServingCertificateOptions extends FollowSeams {
  /** Undefined: a self-signed certificate, kept in the store. */
  readonly files: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly sniFiles: readonly SniFiles[];
  readonly store: CertificateStore;
  readonly hosts: readonly string[];
  readonly onReload: (outcome: "success" | "failure") => void;
}

/**
 * The current certificate, which is replaced when its files change.
 * Files that change are read once more; what cannot be used does not replace what is used now.
 */
export function createServingCertificate(options: ServingCertificateOptions) {
  const { files, sniFiles, log } = options;
  const listeners: ((material: ServingMaterial) => void)[] = [];
  let material: ServingMaterial | undefined;
  let generated: KeyPair | undefined;

  function reload(contents: readonly string[]): void {
    try {
      material = assemble(contents, generated, options);
    } catch (error) {
      log.error({ err: error }, "new serving certificate is not usable; keeping the old one");
      options.onReload("failure");
      return;
    }
    const notAfter = new Date(material.main.notAfterMs).toISOString();
    log.info({ notAfter }, "serving certificate reloaded");
    options.onReload("success");
    for (const listener of listeners) listener(material);
  }

  const pairs = files === undefined ? sniFiles : [files, ...sniFiles];
  const poller = createFilePoller({
    ...options,
    paths: pairs.flatMap(({ certFile, keyFile }) => [certFile, keyFile]),
    onChange: reload,
  });

  return {
    /** @throws when the files cannot be read or do not fit together. */
    async start(): Promise<ServingMaterial> {
      if (files === undefined) {
        const { certPem, keyPem } = await loadOrGenerate(options);
        generated = keyPair(certPem, keyPem);
      }
      material = assemble(await poller.start(), generated, options);
      return material;
    },
    /** The current material. @throws Error before start. */
    current(): ServingMaterial {
      if (material === undefined) throw new Error("the serving certificate is not loaded yet");
      return material;
    },
    subscribe: (listener: (material: ServingMaterial) => void) => void listeners.push(listener),
    stop: () => poller.stop(),
  };
}

/** @throws Error when a pair cannot be used. */
function assemble(
  contents: readonly string[],
  generated: KeyPair | undefined,
  { files, sniFiles }: ServingCertificateOptions,
): ServingMaterial {
  const pairs: KeyPair[] = [];
  for (let index = 0; index + 1 < contents.length; index += 2)
    pairs.push(keyPair(contents[index] ?? "", contents[index + 1] ?? ""));
  const main = files === undefined ? generated : pairs.shift();
  if (main === undefined) throw new Error("there is no serving certificate");
  return { main, sni: pairs.map((pair, index) => ({ ...pair, domains: domainsOf(pair, sniFiles[index]) })) };
}

/** @throws Error when one of the two cannot be read or they do not belong together. */
export function keyPair(certPem: string, keyPem: string): KeyPair {
  const certificate = new X509Certificate(certPem);
  if (!certificate.checkPrivateKey(createPrivateKey(keyPem)))
    throw new Error("the private key does not belong to the certificate");
  return { certPem, keyPem, notAfterMs: Date.parse(certificate.validTo) };
}

function domainsOf(pair: KeyPair, files: SniFiles | undefined): readonly string[] {
  if (files !== undefined && files.domains.length > 0) return files.domains;
  const names = new X509Certificate(pair.certPem).subjectAltName ?? "";
  return [...names.matchAll(/DNS:([^,\s"]+)/g)].map((match) => match[1] ?? "");
}
