// The serving certificate of the processes, replaced while they serve.
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { type CertificateAuthority, createCertificateAuthority, type KeyPair } from "@plimsoll/sandbox";
import { ADAPTER_SERVER_NAME, until } from "@plimsoll/testbed";

export interface Certificates {
  readonly caPem: string;
  /** For the command lines. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Writes another pair, and waits until each port serves it. @throws when one does not. */
  rotate(ports: readonly number[]): Promise<void>;
}

/** Files are looked at again after a while. */
const reloadMs = 120_000;

export async function createCertificates(folder: string): Promise<Certificates> {
  const authority: CertificateAuthority = await createCertificateAuthority("soak", Date.now());
  const certFile = join(folder, "tls.crt");
  const keyFile = join(folder, "tls.key");
  const issue = async (): Promise<KeyPair> => {
    const names = { dns: [ADAPTER_SERVER_NAME, "localhost"], ips: ["127.0.0.1"] };
    const pair = await authority.issueServer(ADAPTER_SERVER_NAME, names);
    replace(certFile, pair.certPem);
    replace(keyFile, pair.keyPem);
    return pair;
  };
  await issue();
  return {
    caPem: authority.certPem,
    certFile,
    keyFile,
    async rotate(ports) {
      const { certPem } = await issue();
      const body = certPem.replaceAll(/-----[^-]+-----|\s/g, "");
      for (const port of ports) {
        await until(
          `the new certificate on port ${port}`,
          async () => ((await servedBy(port)) === body ? true : undefined),
          { timeoutMs: reloadMs, everyMs: 500 },
        );
      }
    },
  };
}

/** In one step, as a mounted Secret changes. */
function replace(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** The certificate as base64. */
function servedBy(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      port,
      host: "127.0.0.1",
      servername: ADAPTER_SERVER_NAME,
      rejectUnauthorized: false,
    });
    socket.once("secureConnect", () => {
      resolve(socket.getPeerCertificate().raw.toString("base64"));
      socket.destroy();
    });
    socket.once("error", reject);
  });
}
