import { createScenario } from "@plimsoll/demo";
import { until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { example, type TemporaryCluster, temporaryCluster } from "./fixture.ts";

let cluster: TemporaryCluster;

beforeAll(async () => {
  cluster = await temporaryCluster({
    loads: createScenario("fast").streams.map(({ load }) => ({ ...load, points: load.points.slice(0, 1) })),
    workloads: example("workloads.yaml"),
  });
  const served = [
    "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/packets-per-second",
    "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue_depth",
    "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods",
  ];
  for (const path of served) {
    await until(`items at ${path}`, async () => {
      const { items } = await cluster.stack.client.request<{ items: readonly unknown[] }>({ path });
      return items.length > 0 ? true : undefined;
    });
  }
});

afterAll(async () => {
  await cluster?.stop();
});

const hpaController = "--as=system:serviceaccount:kube-system:horizontal-pod-autoscaler";

test("get --raw reads every kind of metric", async () => {
  const raw = async (path: string) =>
    JSON.parse(await cluster.kubectl("get", "--raw", path)) as {
      kind: string;
      items: readonly {
        describedObject?: { kind: string; name: string };
        value: string;
        metricName?: string;
      }[];
    };
  const custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default";
  const pods = await raw(`${custom}/pods/*/packets-per-second?labelSelector=app%3Drouter`);
  expect(pods.kind).toBe("MetricValueList");
  expect(pods.items).toMatchObject([{ describedObject: { kind: "Pod" }, value: "700" }]);
  const ingress = await raw(`${custom}/ingresses.networking.k8s.io/main-route/requests-per-second`);
  expect(ingress.items).toMatchObject([
    { describedObject: { kind: "Ingress", name: "main-route" }, value: "1500" },
  ]);
  const external = await raw(
    "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue_depth?labelSelector=queue%3Dorders",
  );
  expect(external.items).toMatchObject([{ metricName: "queue_depth", value: "24" }]);
});

test("top reads pods and nodes", async () => {
  const [pods, nodes] = await until("usage of pods and nodes", async () => {
    const both = [await cluster.kubectl("top", "pods"), await cluster.kubectl("top", "nodes")] as const;
    return both.every((text) => /\d+m/.test(text)) ? both : undefined;
  });
  expect(pods).toMatch(/^NAME\s+CPU\(cores\)\s+MEMORY\(bytes\)[^]*api-\S+\s+\d+m\s+\d+Mi/);
  expect(nodes).toMatch(/e2e-node-1\s+\d+m\s+\d+%\s+\d+Mi\s+\d+%/);
});

test("an APIService that trusts another CA is not available, and comes back with the right one", async () => {
  const { client } = cluster.stack;
  const path = "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.external.metrics.k8s.io";
  const { spec } = await client.request<{ spec: { caBundle: string } }>({ path });
  const trust = (caBundle: string) =>
    client.request({
      method: "PATCH",
      path,
      contentType: "application/merge-patch+json",
      body: { spec: { caBundle } },
    });
  const becomes = (status: string) =>
    until(`Available=${status}`, async () => {
      const { status: now } = await client.request<{
        status: { conditions: readonly { status: string; reason: string }[] };
      }>({ path });
      const [condition] = now.conditions;
      return condition?.status === status ? condition.reason : undefined;
    });
  await trust(Buffer.from(cluster.stack.address.caPem).toString("base64"));
  expect(await becomes("False")).toBe("FailedDiscoveryCheck");
  await trust(spec.caBundle);
  expect(await becomes("True")).toBe("Passed");
});

test("api-resources lists the metrics APIs", async () => {
  expect(await cluster.kubectl("api-resources", "--api-group=metrics.k8s.io")).toMatch(
    /nodes\s+metrics\.k8s\.io\/v1beta1\s+false\s+NodeMetrics\s+pods\s+metrics\.k8s\.io\/v1beta1\s+true\s+PodMetrics/,
  );
  // The aggregator reads discovery once a minute, and when an APIService changes.
  await until(
    "the external metric to be listed",
    async () => {
      const names = await cluster.kubectl(
        "api-resources",
        "--api-group=external.metrics.k8s.io",
        "-o",
        "name",
      );
      return names.split("\n").includes("queue_depth.external.metrics.k8s.io") ? true : undefined;
    },
    { everyMs: 500 },
  );
});

test("get podmetrics prints a table", async () => {
  const text = await cluster.kubectl("get", "pods.metrics.k8s.io");
  expect(text).toMatch(/^NAME\s+CPU\s+MEMORY\s+WINDOW/);
  expect(text).toMatch(/api-\S+/);
});

test("auth can-i prints what the bootstrap role of the HPA controller lets it read", async () => {
  const canI = (...question: readonly string[]) =>
    cluster.kubectl("auth", "can-i", ...question, "-n", "default").then(
      (answer) => answer.trim(),
      (error: { stdout?: string }) => (error.stdout ?? "").trim(),
    );
  expect(await canI("list", "pods.metrics.k8s.io", hpaController)).toBe("yes");
  expect(await canI("list", "queue_depth.external.metrics.k8s.io", hpaController)).toBe("yes");
  expect(await canI("list", "pods.metrics.k8s.io", "--as=guest")).toBe("no");
  expect(await canI("list", "queue_depth.external.metrics.k8s.io", "--as=guest")).toBe("no");
});

test("a user without rights is refused", async () => {
  const path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue_depth";
  await expect(cluster.kubectl("get", "--raw", path, "--as=guest")).rejects.toThrow(/Forbidden/);
});

test("the stand-ins for kubelets had no trouble", () => {
  expect(cluster.troubles).toEqual([]);
});

test("metrics are served again after a restart of the API server, and pods go on", async () => {
  await cluster.stack.restartApiServer();
  await cluster.kubectl("scale", "deployment", "worker", "--replicas=3");
  await cluster.kubectl("rollout", "status", "deployment/worker", "--timeout=90s");
  const path = "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods?labelSelector=app%3Dworker";
  const pods = await until("usage of the new pods", async () => {
    const { items } = JSON.parse(await cluster.kubectl("get", "--raw", path)) as {
      items: readonly unknown[];
    };
    return items.length === 3 ? items : undefined;
  });
  expect(pods).toHaveLength(3);
});
