// Starts an autoscaler whose decisions the API server of a sandbox passes on, and which announces itself in its lease.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "@plimsoll/kube";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { applyManifests } from "./apply.ts";
import { type Command, type PlimsollProcess, plimsollCommand, startPlimsoll } from "./plimsoll-process.ts";
import type { Stack } from "./stack.ts";

const NAMESPACE = "plimsoll";
const SERVICE = "autoscaler";

/**
 * Starts the autoscaler with these arguments, an HTTPS port, a lease in the namespace of an installation, and the
 * registration v1.explain.plimsoll.dev. The certificate and its CA, autoscaler-ca.crt, are written into the folder.
 */
export async function startServedAutoscaler(
  stack: Pick<Stack, "client" | "mapper" | "kubeconfigFor">,
  folder: string,
  args: readonly string[],
  how: Command = plimsollCommand("autoscaler"),
): Promise<PlimsollProcess> {
  const names = [`${SERVICE}.${NAMESPACE}.svc`, "127.0.0.1"];
  const { certPem, keyPem, caPem } = await generateServingCertificate(names, Date.now());
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  file("autoscaler-ca.crt", caPem);
  const all = [
    `--kubeconfig=${stack.kubeconfigFor("autoscaler")}`,
    `--leader-elect-resource-namespace=${NAMESPACE}`,
    "--bind-address=127.0.0.1",
    "--port=0",
    "--secure-port=0",
    `--tls-cert-file=${file("autoscaler.crt", certPem)}`,
    `--tls-private-key-file=${file("autoscaler.key", keyPem)}`,
    ...args,
  ];
  const autoscaler = await startPlimsoll("autoscaler", all, how);
  try {
    await applyManifests(stack, explainRegistration({ port: autoscaler.securePort ?? 0, caPem }));
    return autoscaler;
  } catch (error) {
    await autoscaler.stop();
    throw error;
  }
}

function explainRegistration({
  port,
  caPem,
}: {
  readonly port: number;
  readonly caPem: string;
}): readonly KubeObject[] {
  const metadata = { name: SERVICE, namespace: NAMESPACE };
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ name: "https", port }] },
  };
  const apiService = {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1.explain.plimsoll.dev" },
    spec: {
      group: "explain.plimsoll.dev",
      version: "v1",
      service: { ...metadata, port },
      caBundle: Buffer.from(caPem).toString("base64"),
      groupPriorityMinimum: 100,
      versionPriority: 100,
    },
  };
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
  return [namespace, service, apiService];
}
