import { stringify } from "yaml";
import type { KeyPair } from "./certificate-authority.ts";

/** A kubeconfig with one context; credentials are embedded. */
export function kubeconfigText(o: {
  server: string;
  caPem: string;
  user: string;
  credentials: Readonly<Record<string, string>>;
}): string {
  const cluster = "plimsoll-sandbox";
  const context = `${o.user}@${cluster}`;
  return stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": context,
      clusters: [
        { name: cluster, cluster: { server: o.server, "certificate-authority-data": base64(o.caPem) } },
      ],
      contexts: [{ name: context, context: { cluster, user: o.user, namespace: "default" } }],
      users: [{ name: o.user, user: o.credentials }],
    },
    { lineWidth: 0 },
  );
}

export function certificateUser(credentials: KeyPair): Readonly<Record<string, string>> {
  return {
    "client-certificate-data": base64(credentials.certPem),
    "client-key-data": base64(credentials.keyPem),
  };
}

export function tokenUser(token: string): Readonly<Record<string, string>> {
  return { token };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
