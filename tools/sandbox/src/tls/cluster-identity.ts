import { createCertificateAuthority, type KeyPair } from "./certificate-authority.ts";

/** The certificates of a cluster: whom clients trust, and as whom the server acts towards backends. */
export interface ClusterIdentity {
  /** Signs the serving certificate and client certificates. */
  readonly caPem: string;
  /** Signs the front-proxy certificate only, so that no user's certificate can pass for it. */
  readonly frontProxyCaPem: string;
  readonly serving: KeyPair;
  readonly admin: KeyPair;
  readonly frontProxy: KeyPair;
}

export const frontProxyName = "front-proxy-client";

export async function createClusterIdentity(nowMs: number): Promise<ClusterIdentity> {
  const [cluster, proxy] = await Promise.all([
    createCertificateAuthority("plimsoll-sandbox-ca", nowMs),
    createCertificateAuthority("plimsoll-sandbox-front-proxy-ca", nowMs),
  ]);
  const [serving, admin, frontProxy] = await Promise.all([
    cluster.issueServer("kube-apiserver", {
      dns: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
      ips: ["127.0.0.1"],
    }),
    cluster.issueClient("admin", ["system:masters"]),
    proxy.issueClient(frontProxyName, []),
  ]);
  return { caPem: cluster.certPem, frontProxyCaPem: proxy.certPem, serving, admin, frontProxy };
}
