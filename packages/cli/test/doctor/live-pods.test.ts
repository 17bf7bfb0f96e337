// The pods that a MetricRule with live selects, as the API server has them.
import { expect, test } from "vitest";
import { doctor, doctorServer } from "./api-server.ts";
import { putDeployment, putHpa } from "./example.ts";

function cluster(port: string) {
  const server = doctorServer();
  putDeployment(server, { namespace: "pay", name: "web", replicas: 1 });
  putHpa(server, "pay", "web");
  server.put(
    {
      apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
      kind: "MetricRule",
      metadata: { name: "requests", namespace: "pay" },
      spec: {
        type: "External",
        metric: "queue_depth",
        query: "sum(rate(requests_total[10s]))",
        live: { port: "metrics", podSelector: { matchLabels: { app: "gateway" } } },
      },
    },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "gateway-1", namespace: "pay", labels: { app: "gateway" } },
      spec: { containers: [{ name: "main", ports: [{ name: port, containerPort: 8080 }] }] },
      status: { phase: "Running" },
    },
  );
  return server;
}

test.each([
  ["http", ["queue_depth reads the port metrics, which no container declares"]],
  ["metrics", []],
])("of a container with the port %s", async (port, titles) => {
  const { out } = await doctor(cluster(port), ["-n", "pay", "--only=PL-057", "-o", "json"]);
  const { findings } = JSON.parse(out) as { readonly findings: readonly { readonly title: string }[] };
  expect(findings.map(({ title }) => title)).toEqual(titles);
});
