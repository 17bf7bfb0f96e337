// Loads the self-signed serving certificate from a store, or generates it.
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { Clock, Logger } from "@plimsoll/component-base";
import { generateServingCertificate } from "./self-signed.ts";

/** Where a self-signed certificate lives between two starts. */
export interface CertificateStore {
  /** Undefined when there is none. */
  load(): Promise<StoredPair | undefined>;
  /** False when it cannot be kept, which is no error; "conflict" when another process has kept one meanwhile. */
  save(pair: StoredPair): Promise<boolean | "conflict">;
}

/** A certificate with its key and its authority, in PEM. */
export interface StoredPair {
  readonly certPem: string;
  readonly keyPem: string;
  readonly caPem: string | undefined;
}

/** Stores nothing: each start makes a new certificate. */
export const noStore: CertificateStore = {
  load: () => Promise.resolve(undefined),
  save: () => Promise.resolve(false),
};

interface LoadOptions {
  readonly store: CertificateStore;
  readonly hosts: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

const renewBeforeMs = 30 * 86_400_000;

/** The stored certificate while it is valid for the wanted hosts, else a new one; logs what to trust. */
export async function loadOrGenerate(options: LoadOptions): Promise<StoredPair> {
  const { store, hosts, clock, log } = options;
  const stored = await store.load();
  const problem = stored === undefined ? "there is none yet" : unusable(stored, hosts, clock.nowMs());
  if (stored !== undefined && problem === undefined) {
    log.info({ caBundle: caBundle(stored) }, "using the stored self-signed serving certificate");
    return stored;
  }
  const pair = await generateServingCertificate(hosts, clock.nowMs());
  const isStored = await store.save(pair);
  if (isStored === "conflict") return loadOrGenerate(options);
  log.info(
    { reason: problem, hosts, isStored, caBundle: caBundle(pair) },
    "made a self-signed serving certificate",
  );
  return pair;
}

/** What an APIService's spec.caBundle takes. */
function caBundle(pair: StoredPair): string {
  return Buffer.from(pair.caPem ?? pair.certPem).toString("base64");
}

function unusable(pair: StoredPair, hosts: readonly string[], nowMs: number): string | undefined {
  try {
    const certificate = new X509Certificate(pair.certPem);
    if (Date.parse(certificate.validTo) - nowMs < renewBeforeMs) return "the stored one is about to expire";
    const missing = hosts.filter((host) => !isValidFor(certificate, host));
    return missing.length === 0 ? undefined : `the stored one is not valid for ${missing.join(", ")}`;
  } catch (error) {
    return `the stored one cannot be read: ${String(error)}`;
  }
}

function isValidFor(certificate: X509Certificate, host: string): boolean {
  const match = isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  return match !== undefined;
}
