import { stringify } from "yaml";
import type { KeyPair } from "./certificate-authority.ts";

/** A kubeconfig with one context; the credentials of `user` are embedded. */
export function kubeconfigText(options: {
  readonly server: string;
  readonly caPem: string;
  /** In the words of a kubeconfig, such as a token. */
  readonly user: object;
  readonly name?: string;
  readonly namespace?: string;
}): string {
  const { server, caPem, user, name = "user", namespace = "default" } = options;
  const cluster = "plimsoll";
  const context = `${name}@${cluster}`;
  return stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": context,
      clusters: [{ name: cluster, cluster: { server, "certificate-authority-data": base64(caPem) } }],
      contexts: [{ name: context, context: { cluster, user: name, namespace } }],
      users: [{ name, user }],
    },
    { lineWidth: 0 },
  );
}

export function certificateUser(credentials: KeyPair): object {
  return {
    "client-certificate-data": base64(credentials.certPem),
    "client-key-data": base64(credentials.keyPem),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
