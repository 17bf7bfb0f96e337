import { stringify } from "yaml";
import type { KeyPair } from "./certificate-authority.ts";

/** A kubeconfig with one context; credentials are embedded. */
export function kubeconfigText(options: {
  server: string;
  caPem: string;
  user: string;
  credentials: Readonly<Record<string, string>>;
}): string {
  const cluster = "plimsoll-sandbox";
  const context = `${options.user}@${cluster}`;
  return stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": context,
      clusters: [
        {
          name: cluster,
          cluster: { server: options.server, "certificate-authority-data": base64(options.caPem) },
        },
      ],
      contexts: [{ name: context, context: { cluster, user: options.user, namespace: "default" } }],
      users: [{ name: options.user, user: options.credentials }],
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
