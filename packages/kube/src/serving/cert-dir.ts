import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@plimsoll/component-base";
import { replaceFile } from "@plimsoll/component-base/process";
import type { CertificateStore, StoredPair } from "./stored-certificate.ts";

/** Saves the pair under the file names that prometheus-adapter uses in --cert-dir. */
export function createCertDir(directory: string, log: Logger): CertificateStore {
  const paths = {
    cert: join(directory, "apiserver.crt"),
    key: join(directory, "apiserver.key"),
    ca: join(directory, "ca.crt"),
  };
  return {
    load: async () => {
      const [certPem, keyPem, caPem] = await Promise.all(Object.values(paths).map(readIfPresent));
      return certPem === undefined || keyPem === undefined ? undefined : { certPem, keyPem, caPem };
    },
    save: async (pair: StoredPair) => {
      try {
        await mkdir(directory, { recursive: true });
        await replaceFile(paths.key, pair.keyPem, 0o600);
        await replaceFile(paths.cert, pair.certPem, 0o644);
        await replaceFile(paths.ca, pair.caPem ?? pair.certPem, 0o644);
        return true;
      } catch (error) {
        log.warn(
          { err: error, directory },
          "certificate directory is not writable; keeping the certificate in memory",
        );
        return false;
      }
    },
  };
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch {
    return undefined;
  }
}
