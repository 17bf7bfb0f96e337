// A metrics adapter in the cluster.
import type { ApiServer } from "@plimsoll/testbed/world/cluster";

interface Options {
  /** The specification of its Service. */
  readonly service?: object;
  readonly pod?: string;
}

/** The adapter of the cluster, with its rules in a ConfigMap. */
export function putAdapter(
  server: ApiServer,
  config: string,
  { service = { selector: { app: "adapter" } }, pod = "adapter" }: Options = {},
): void {
  const metadata = { name: "adapter", namespace: "mon" };
  server.put(
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: "v1beta2.custom.metrics.k8s.io" },
      spec: {
        group: "custom.metrics.k8s.io",
        version: "v1beta2",
        service: { namespace: "mon", name: "adapter" },
      },
    },
    { apiVersion: "v1", kind: "Service", metadata, spec: service },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...metadata, name: pod, labels: { app: "adapter" } },
      spec: {
        containers: [
          {
            name: "main",
            args: ["--config=/etc/adapter/config.yaml"],
            volumeMounts: [{ name: "rules", mountPath: "/etc/adapter" }],
          },
        ],
        volumes: [{ name: "rules", configMap: { name: "adapter" } }],
      },
    },
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "config.yaml": config } },
  );
}
