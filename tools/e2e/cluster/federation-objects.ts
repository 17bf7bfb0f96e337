// The objects by which an adapter of this machine serves an API, and those that an installation has.
import { stringify } from "yaml";

/** An ExternalName, as nothing responds at cluster IPs. */
export function registered(
  namespace: string,
  name: string,
  port: number,
  { version, group: of, ca }: { readonly version: string; readonly group: string; readonly ca: string },
): string {
  const labels =
    namespace === "plimsoll"
      ? { "app.kubernetes.io/part-of": "plimsoll", "app.kubernetes.io/component": "metrics-adapter" }
      : {};
  return [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name, namespace, labels },
      spec: { type: "ExternalName", externalName: "localhost", ports: [{ name: "https", port }] },
    },
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: `${version}.${of}` },
      spec: {
        group: of,
        version,
        service: { namespace, name, port },
        caBundle: Buffer.from(ca).toString("base64"),
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    },
  ]
    .map((object) => stringify(object))
    .join("---\n");
}

export const installed = `apiVersion: v1
kind: Namespace
metadata: { name: plimsoll }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: metrics-adapter, namespace: plimsoll }
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: metrics-adapter
  namespace: plimsoll
  labels: { app.kubernetes.io/part-of: plimsoll, app.kubernetes.io/component: metrics-adapter }
spec:
  selector: { matchLabels: { app: metrics-adapter } }
  template:
    metadata: { labels: { app: metrics-adapter } }
    spec:
      serviceAccountName: metrics-adapter
      containers: [{ name: metrics-adapter, image: "registry.example/metrics-adapter:1", args: [--config=/rules] }]
`;
