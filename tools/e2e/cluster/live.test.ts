// Live metrics: pods that are scraped by the adapter, and no Prometheus. Pods of this cluster have addresses of this machine.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeObject } from "@plimsoll/kube";
import { type Child, type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  builtInHpa,
  gaugeRules,
  ownLease,
  pace,
  shipped,
  type TemporaryCluster,
  temporaryCluster,
} from "./fixture.ts";

const perReplica = 100;
/** The prefix of the addresses of the pods. */
const podNetwork = "127.64";

/** The requests of Ingresses come from the pods of their gateway. */
const rules = `rules:
  - seriesQuery: requests_total{namespace!="",ingress!=""}
    resources: { template: <<.Resource>> }
    name: { as: requests_per_second }
    metricsQuery: sum(rate(<<.Series>>{<<.LabelMatchers>>}[3s])) by (<<.GroupBy>>)
    live: { namespace: gateway, podSelector: { matchLabels: { app: gateway } }, port: metrics }
${readFileSync(gaugeRules, "utf8").replace(/^rules:$/m, "")}`;
const folder = mkdtempSync(join(tmpdir(), "plimsoll-live-"));

let cluster: TemporaryCluster;
let autoscaler: PlimsollProcess;
let builtIn: Child;
let pods: Pages;

beforeAll(async () => {
  pods = await servePages();
  writeFileSync(join(folder, "rules.yaml"), rules);
  cluster = await temporaryCluster({
    loads: [],
    podNetwork,
    rules: join(folder, "rules.yaml"),
    workloads: [
      shipped("kustomize/components/metric-rules/rbac.yaml"),
      shipped("kustomize/components/live-metrics/rbac.yaml"),
      shipped("crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml"),
      shipped("crds/metricrules.autoscaling.plimsoll.dev.yaml"),
      deploymentOf("shop", pods.port),
      deploymentOf("cart", pods.port),
      deploymentOf("web", pods.port),
      "apiVersion: v1\nkind: Namespace\nmetadata: { name: gateway }\n",
      deploymentOf("gateway", pods.port, "gateway"),
    ].join("\n---\n"),
    adapterArgs: [
      "--metric-rules=true",
      "--live-metrics=true",
      `--live-pod-cidrs=${podNetwork}.0.0/16`,
      "--prometheus-url=",
    ],
  });
  const { stack } = cluster;
  autoscaler = await startPlimsoll("autoscaler", [
    `--kubeconfig=${await stack.kubeconfigForUser("driver", ["system:masters"])}`,
    ownLease,
    "--port=0",
  ]);
  builtIn = await stack.startControllerManager(builtInHpa(pace));
});

afterAll(async () => {
  await autoscaler?.stop();
  await builtIn?.stop();
  await cluster?.stop();
  pods?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("a WorkloadAutoscaler follows the packets of its pods within seconds", async () => {
  pods.load("shop", 280);
  await cluster.stack.apply(`
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: { name: shop, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: shop }
  minReplicas: 1
  maxReplicas: 10
  tuning: { downscaleStabilizationSeconds: 0 }
  behavior:
    scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: Pods, value: 10, periodSeconds: 1 }] }
    scaleDown: { policies: [{ type: Pods, value: 10, periodSeconds: 1 }] }
  metrics:
    - type: Query
      query:
        promql: sum(rate(packets_total[3s]))
        live: { port: metrics }
        target: { type: AverageValue, averageValue: "${perReplica}" }
`);
  expect(await levelOf("shop", 3)).toBe(3);
  const stepMs = Date.now();
  pods.load("shop", 580);
  expect(await levelOf("shop", 6)).toBe(6);
  console.log(`from the step in load to 6 replicas: ${Date.now() - stepMs} ms`);
  pods.load("shop", 180);
  expect(await levelOf("shop", 2)).toBe(2);
});

test("an HPA of the built-in controller follows a live MetricRule", async () => {
  pods.load("cart", 380);
  await cluster.stack.apply(`
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: MetricRule
metadata: { name: packets, namespace: default }
spec:
  type: Pods
  query: sum by (pod) (rate(packets_total[3s]))
  live: { port: metrics, podSelector: { matchLabels: { app: cart } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: cart, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: cart }
  minReplicas: 1
  maxReplicas: 10
  metrics:
    - type: Pods
      pods:
        metric: { name: packets }
        target: { type: AverageValue, averageValue: "${perReplica}" }
`);
  expect(await levelOf("cart", 4)).toBe(4);
  const rule = await cluster.stack.client.request<KubeObject & { readonly status?: object }>({
    path: "/apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/default/metricrules/packets",
  });
  expect(rule.status).toMatchObject({ conditions: [{ status: "True" }, { status: "True" }] });
});

test("an HPA of the built-in controller follows an Ingress, by a live rule of the rules file", async () => {
  pods.load("gateway", 280);
  await cluster.stack.apply(`
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web, namespace: default }
spec: { defaultBackend: { service: { name: web, port: { number: 80 } } } }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: web, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: web }
  minReplicas: 1
  maxReplicas: 10
  metrics:
    - type: Object
      object:
        describedObject: { apiVersion: networking.k8s.io/v1, kind: Ingress, name: web }
        metric: { name: requests_per_second }
        target: { type: AverageValue, averageValue: "${perReplica}" }
`);
  expect(await levelOf("web", 3)).toBe(3);
});

/** Waits for this count, and returns it. */
async function levelOf(name: string, replicas: number): Promise<number> {
  const path = `/apis/apps/v1/namespaces/default/deployments/${name}`;
  return until(`${name} to have ${replicas} replicas`, async () => {
    const { spec } = await cluster.stack.client.request<
      KubeObject & { readonly spec: { readonly replicas: number } }
    >({ path });
    return spec.replicas === replicas ? spec.replicas : undefined;
  });
}

interface Pages {
  readonly port: number;
  stop(): void;
  /** Packets per second that the pods of a Deployment share. */
  load(name: string, perSecond: number): void;
}

/** One server is every pod: the address that a request came to says which. */
async function servePages(): Promise<Pages> {
  const loads = new Map<string, number>();
  const counters = new Map<string, { readonly app: string; value: number; atMs: number }>();
  const server = createServer((request, response) => {
    const { localAddress = "" } = request.socket;
    const nowMs = Date.now();
    const found = cluster.stack.store
      .list("pods")
      .find(
        (pod) =>
          (pod as { status?: { podIP?: string } }).status?.podIP === localAddress.replace("::ffff:", ""),
      );
    const name = found?.metadata.labels?.["app"] ?? "";
    const own = counters.get(localAddress) ?? { app: name, value: 0, atMs: nowMs };
    counters.set(localAddress, own);
    const sharers = [...counters.values()].filter((one) => one.app === name && nowMs - one.atMs < 3_000);
    own.value += (((loads.get(name) ?? 0) / Math.max(1, sharers.length)) * (nowMs - own.atMs)) / 1_000;
    own.atMs = nowMs;
    response.end(
      `# TYPE packets_total counter\npackets_total ${own.value}\n# TYPE requests_total counter\nrequests_total{namespace="default",ingress="web"} ${own.value}\n`,
    );
  });
  await new Promise<void>((resolve) => void server.listen(0, "0.0.0.0", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    stop: () => void server.close(),
    load: (name, perSecond) => void loads.set(name, perSecond),
  };
}

function deploymentOf(name: string, port: number, namespace = "default"): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  replicas: 1
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      containers:
        - name: main
          image: registry.example/main:1
          ports: [{ name: metrics, containerPort: ${port} }]
`;
}
