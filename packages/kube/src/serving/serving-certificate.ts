import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Clock } from "../clock.ts";
import { createFilePoller, type ReadText } from "./file-poller.ts";
import type { ServingLog } from "./log.ts";
import { type CertificateStore, loadOrGenerate } from "./stored-certificate.ts";

export interface KeyPair {
  readonly certPem: string;
  readonly keyPem: string;
  readonly notAfterMs: number;
}

/** A pair that is used for certain server names only. */
export interface SniKeyPair extends KeyPair {
  readonly domains: readonly string[];
}

export interface ServingMaterial {
  readonly main: KeyPair;
  readonly sni: readonly SniKeyPair[];
}

export interface SniFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Empty: the names in the certificate. */
  readonly domains: readonly string[];
}

export interface ServingCertificateOptions {
  /** Undefined: a self-signed certificate, kept in the store. */
  readonly files: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly sniFiles: readonly SniFiles[];
  readonly store: CertificateStore;
  readonly hosts: readonly string[];
  readonly readText: ReadText;
  readonly pollIntervalMs: number;
  readonly clock: Clock;
  readonly log: ServingLog;
  readonly onReload: (outcome: "success" | "failure") => void;
}

export interface ServingCertificate {
  /** @throws when the files cannot be read or do not fit together. */
  start(): Promise<ServingMaterial>;
  /** The material in force. @throws Error before start. */
  current(): ServingMaterial;
  subscribe(listener: (material: ServingMaterial) => void): void;
  stop(): void;
}

export function createServingCertificate(options: ServingCertificateOptions): ServingCertificate {
  const { files, sniFiles, log } = options;
  const listeners: ((material: ServingMaterial) => void)[] = [];
  let material: ServingMaterial | undefined;
  let generated: KeyPair | undefined;

  const assemble = (contents: readonly string[]): ServingMaterial => {
    const pairs: KeyPair[] = [];
    for (let index = 0; index + 1 < contents.length; index += 2) {
      pairs.push(keyPair(contents[index] ?? "", contents[index + 1] ?? ""));
    }
    const main = files === undefined ? generated : pairs.shift();
    if (main === undefined) {
      throw new Error("there is no serving certificate");
    }
    return {
      main,
      sni: pairs.map((pair, index) => ({ ...pair, domains: domainsOf(pair, sniFiles[index]) })),
    };
  };

  const poller = createFilePoller({
    paths: [...(files === undefined ? [] : [files]), ...sniFiles].flatMap((pair) => [
      pair.certFile,
      pair.keyFile,
    ]),
    readText: options.readText,
    clock: options.clock,
    intervalMs: options.pollIntervalMs,
    log,
    onChange: (contents) => {
      try {
        material = assemble(contents);
      } catch (error) {
        log.error({ err: error }, "new serving certificate is not usable; keeping the old one");
        options.onReload("failure");
        return;
      }
      log.info(
        { notAfter: new Date(material.main.notAfterMs).toISOString() },
        "serving certificate reloaded",
      );
      options.onReload("success");
      for (const listener of listeners) {
        listener(material);
      }
    },
  });

  return {
    start: async () => {
      if (files === undefined) {
        const pair = await loadOrGenerate(options);
        generated = keyPair(pair.certPem, pair.keyPem);
      }
      material = assemble(await poller.start());
      return material;
    },
    current: () => {
      if (material === undefined) {
        throw new Error("the serving certificate is not loaded yet");
      }
      return material;
    },
    subscribe: (listener) => {
      listeners.push(listener);
    },
    stop: () => poller.stop(),
  };
}

/** @throws Error when one of the two cannot be read or they do not belong together. */
export function keyPair(certPem: string, keyPem: string): KeyPair {
  const certificate = new X509Certificate(certPem);
  if (!certificate.checkPrivateKey(createPrivateKey(keyPem))) {
    throw new Error("the private key does not belong to the certificate");
  }
  return { certPem, keyPem, notAfterMs: Date.parse(certificate.validTo) };
}

function domainsOf(pair: KeyPair, files: SniFiles | undefined): readonly string[] {
  if (files !== undefined && files.domains.length > 0) {
    return files.domains;
  }
  const names = new X509Certificate(pair.certPem).subjectAltName ?? "";
  return [...names.matchAll(/DNS:([^,\s"]+)/g)].map((match) => match[1] ?? "");
}
