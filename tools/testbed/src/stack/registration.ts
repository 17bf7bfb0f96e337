// The objects that register the adapter as an aggregated API.
import type { KubeObject } from "@plimsoll/kube";

const NAMESPACE = "plimsoll";
const SERVICE = "metrics-adapter";

/** The name that the API server expects in the adapter's serving certificate. */
export const ADAPTER_SERVER_NAME = `${SERVICE}.${NAMESPACE}.svc`;

const groups: readonly (readonly [group: string, versions: readonly string[]])[] = [
  ["custom.metrics.k8s.io", ["v1beta2", "v1beta1"]],
  ["external.metrics.k8s.io", ["v1beta1"]],
  ["metrics.k8s.io", ["v1beta1"]],
];

/** What registers an adapter on this machine as the backend of the metrics APIs. */
export function registration(options: {
  readonly port: number;
  readonly caPem: string;
}): readonly KubeObject[] {
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: SERVICE, namespace: NAMESPACE },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ name: "https", port: options.port }] },
  };
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
  const apiServices = groups.flatMap(([group, versions]) =>
    versions.map((version, index) => ({
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `${version}.${group}` },
      spec: {
        group,
        version,
        service: { name: SERVICE, namespace: NAMESPACE, port: options.port },
        caBundle: Buffer.from(options.caPem).toString("base64"),
        groupPriorityMinimum: 100,
        versionPriority: 100 * (versions.length - index),
      },
    })),
  );
  return [namespace, service, ...apiServices];
}
