import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificateUser, createCertificateAuthority, type KeyPair, kubeconfigText } from "@plimsoll/sandbox";

/** The keys of a cluster, as files for its programs and as kubeconfigs for its users. */
export interface ClusterIdentity {
  readonly caPem: string;
  readonly files: IdentityFiles;
  /** The path of a kubeconfig that names its user by a client certificate. */
  kubeconfigFor(user: string, groups: readonly string[]): Promise<string>;
}

export interface IdentityFiles {
  readonly ca: string;
  readonly serving: { readonly cert: string; readonly key: string };
  readonly frontProxyCa: string;
  readonly frontProxy: { readonly cert: string; readonly key: string };
  readonly serviceAccounts: { readonly publicKey: string; readonly key: string };
}

export const frontProxyName = "front-proxy-client";

/** Makes all keys and certificates in a folder; `server` is the URL in the kubeconfigs. */
export async function createIdentity(options: { folder: string; server: string }): Promise<ClusterIdentity> {
  mkdirSync(options.folder, { recursive: true });
  const now = Date.now();
  const [cluster, proxy] = await Promise.all([
    createCertificateAuthority("plimsoll-e2e-ca", now),
    createCertificateAuthority("plimsoll-e2e-front-proxy-ca", now),
  ]);
  const [serving, frontProxy] = await Promise.all([
    cluster.issueServer("kube-apiserver", {
      dns: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
      ips: ["127.0.0.1"],
    }),
    proxy.issueClient(frontProxyName, []),
  ]);
  const file = (name: string, text: string): string => {
    const path = join(options.folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const pair = (name: string, keys: KeyPair) => ({
    cert: file(`${name}.crt`, keys.certPem),
    key: file(`${name}.key`, keys.keyPem),
  });
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    caPem: cluster.certPem,
    files: {
      ca: file("ca.crt", cluster.certPem),
      serving: pair("apiserver", serving),
      frontProxyCa: file("front-proxy-ca.crt", proxy.certPem),
      frontProxy: pair("front-proxy", frontProxy),
      serviceAccounts: {
        publicKey: file("sa.pub", publicKey.export({ type: "spki", format: "pem" }).toString()),
        key: file("sa.key", privateKey.export({ type: "pkcs8", format: "pem" }).toString()),
      },
    },
    async kubeconfigFor(name, groups) {
      const user = certificateUser(await cluster.issueClient(name, groups));
      const text = kubeconfigText({ server: options.server, caPem: cluster.certPem, name, user });
      return file(`${name.replaceAll(":", "_")}.kubeconfig`, text);
    },
  };
}
