import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "@plimsoll/component-base";
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
        await writeWhole(paths.key, pair.keyPem, 0o600);
        await writeWhole(paths.cert, pair.certPem, 0o644);
        await writeWhole(paths.ca, pair.caPem ?? pair.certPem, 0o644);
        return true;
      } catch (error) {
        log.warn(
          { err: error, directory },
          "certificate directory is not writable; the certificate lives in memory",
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

/** A reader sees the whole old file or the whole new one. */
async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.new`;
  await writeFile(temporary, text, { mode });
  await rename(temporary, path);
}
