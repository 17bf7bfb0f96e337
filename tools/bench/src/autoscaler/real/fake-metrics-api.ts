import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { KubeClient } from "@plimsoll/kube";
import { protobufMediaType } from "@plimsoll/kube/protobuf";
import { createCertificateAuthority } from "@plimsoll/sandbox";
import { usageBytes } from "../usage-bytes.ts";
import { namespaceOf, objectsIn, type Size } from "./world.ts";

/** Serves metrics.k8s.io through the API server: every pod at exactly its target, so that nothing is to be scaled. */
export async function startFakeMetricsApi(
  client: KubeClient,
  size: Size,
): Promise<{ stop(): Promise<void> }> {
  const authority = await createCertificateAuthority("bench", Date.now());
  const { certPem, keyPem } = await authority.issueServer("metrics", { dns: ["metrics.bench.svc"], ips: [] });
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    const url = new URL(request.url ?? "/", "https://metrics");
    const namespace = url.pathname.split("/")[5];
    const app = url.searchParams.get("labelSelector")?.replace("app=", "");
    const json = JSON.stringify(namespace === undefined ? discovery : usageOf(namespace, app, size));
    // As metrics-server does; kube-controller-manager's client accepts protobuf, too.
    const hasProtobuf =
      namespace !== undefined && request.headers.accept?.includes(protobufMediaType) === true;
    response.setHeader("content-type", hasProtobuf ? protobufMediaType : "application/json");
    response.end(hasProtobuf ? usageBytes(json) : json);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await register(client, (server.address() as AddressInfo).port);
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function usageOf(namespace: string, app: string | undefined, size: Size): object {
  const timestamp = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const apps = app === undefined ? objectsIn(namespace, size).map((index) => `w-${index}`) : [app];
  const items = apps.flatMap((each) =>
    Array.from({ length: size.podsEach }, (_, n) => ({
      metadata: { name: `${each}-${n}`, namespace, labels: { app: each }, creationTimestamp: timestamp },
      timestamp,
      window: "30s",
      containers: [{ name: "main", usage: { cpu: "50m", memory: "32Mi" } }],
    })),
  );
  return { kind: "PodMetricsList", apiVersion: "metrics.k8s.io/v1beta1", metadata: {}, items };
}

const discovery = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: "metrics.k8s.io/v1beta1",
  resources: [
    { name: "pods", singularName: "pod", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
  ],
};

async function register(client: KubeClient, port: number): Promise<void> {
  await client.request({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "bench" } },
  });
  await client.request({
    method: "POST",
    path: "/api/v1/namespaces/bench/services",
    body: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "metrics" },
      spec: { type: "ExternalName", externalName: "localhost", ports: [{ name: "https", port }] },
    },
  });
  await client.request({
    method: "POST",
    path: "/apis/apiregistration.k8s.io/v1/apiservices",
    body: {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: "v1beta1.metrics.k8s.io" },
      spec: {
        group: "metrics.k8s.io",
        version: "v1beta1",
        service: { name: "metrics", namespace: "bench", port },
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    },
  });
}

/** Resolves when the API server serves the fake usage. */
export async function isServed(client: KubeClient): Promise<true> {
  await client.request({ path: `/apis/metrics.k8s.io/v1beta1/namespaces/${namespaceOf(0)}/pods` });
  return true;
}
