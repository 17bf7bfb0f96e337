// A control plane that is full of large objects, with a victim, and both processes under a limit of memory.
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRestMapper, type KubeClient } from "@plimsoll/kube";
import {
  ADAPTER_SERVER_NAME,
  applyManifests,
  type ControlPlaneBinaries,
  gaugeRules,
  type PlimsollProcess,
  type PlimsollProgram,
  parseManifests,
  plimsollCommand,
  prometheusProgram,
  registration,
  type Stops,
  startControlPlane,
  startPlimsoll,
  startPrometheus,
  startWhole,
  until,
} from "@plimsoll/testbed";
import { hostileNamespaces } from "./large-objects.ts";

/** What the victim wants, and what it gets. */
export interface LargeWorld {
  readonly client: KubeClient;
  /** Cuts the connections of both processes long enough that they list everything once more. */
  cut(): Promise<void>;
  startAdapter(): Promise<PlimsollProcess>;
  startAutoscaler(): Promise<PlimsollProcess>;
  /** From now on the load of the victim needs this number of replicas. */
  want(replicas: number): void;
  /** Waits until the victim has them. */
  reaches(replicas: number): Promise<void>;
  /** Waits until the metrics API serves the metric of the rules file. */
  isServed(): Promise<void>;
  stop(): Promise<void>;
}

export interface LargeWorldOptions {
  readonly folder: string;
  readonly binaries: ControlPlaneBinaries;
  /** The heap that Node chooses in a container with the limit of the chart, in MiB. */
  readonly heapMiB: number;
}

const podCount = 2;
const perPod = 10;

export function startLargeWorld(options: LargeWorldOptions): Promise<LargeWorld> {
  return startWhole((stops) => assemble(options, stops));
}

async function assemble(
  { folder, binaries, heapMiB }: LargeWorldOptions,
  stops: Stops,
): Promise<Omit<LargeWorld, "stop">> {
  const plane = await startControlPlane({
    folder: join(folder, "control-plane"),
    binaries,
    controllerManager: false,
    etcdArgs: ["--quota-backend-bytes=8589934592"],
  });
  stops.push(() => plane.stop());
  const { client, kubeconfig } = plane;
  const link = await startLink(new URL(plane.address.url), stops);
  const own = join(folder, "own.kubeconfig");
  writeFileSync(own, readFileSync(kubeconfig, "utf8").replaceAll(plane.address.url, link.url), {
    mode: 0o600,
  });
  const mapper = createRestMapper({ client });
  const apply = (text: string) => applyManifests({ client, mapper }, parseManifests(text));
  await apply(
    crds
      .map((path) => readFileSync(fileURLToPath(new URL(`../../../deploy/${path}`, import.meta.url)), "utf8"))
      .join("---\n"),
  );
  await until("the kinds to be served", async () => {
    for (const kind of ["metricrules", "workloadautoscalers"])
      await client.request({ path: `/apis/autoscaling.plimsoll.dev/v1alpha1/${kind}` });
    return true;
  });
  await apply(["plimsoll", "victim", ...hostileNamespaces].map(namespace).join("---\n"));
  await apply(victim);
  for (let number = 0; number < podCount; number += 1) await runPod(client, `victim-${number}`);
  let replicas = podCount;
  const target = await serveMetrics(() => (replicas / podCount) * perPod, stops);
  const prometheus = await startPrometheus({
    binary: prometheusProgram(),
    folder: join(folder, "prometheus"),
    target,
    scrapeIntervalMs: 500,
  });
  stops.push(() => prometheus.stop());
  const start = async (program: PlimsollProgram, args: readonly string[]): Promise<PlimsollProcess> => {
    const { command, args: before, ...how } = plimsollCommand(program);
    // As in the image, in a container with this limit.
    const nodeArgs = ["--max-semi-space-size=8", `--max-old-space-size=${heapMiB}`];
    const child = await startPlimsoll(program, args, { ...how, command, args: [...nodeArgs, ...before] });
    stops.push(() => child.stop());
    return child;
  };
  const certDir = join(folder, "adapter");

  return {
    client,
    cut: link.cut,
    async startAdapter() {
      const adapter = await start("metrics-adapter", [
        `--config=${gaugeRules}`,
        `--prometheus-url=${prometheus.url}`,
        `--lister-kubeconfig=${own}`,
        `--authentication-kubeconfig=${own}`,
        `--authorization-kubeconfig=${own}`,
        "--bind-address=127.0.0.1",
        "--secure-port=0",
        `--cert-dir=${certDir}`,
        `--self-signed-cert-hosts=${ADAPTER_SERVER_NAME}`,
        "--metrics-relist-interval=1s",
        "--metrics-max-age=10s",
        "--metrics-result-max-age=0s",
        "--metric-rules=true",
      ]);
      const caPem = readFileSync(join(certDir, "ca.crt"), "utf8");
      await applyManifests({ client, mapper }, registration({ port: adapter.port, caPem }));
      return adapter;
    },
    startAutoscaler: () =>
      start("autoscaler", [
        `--kubeconfig=${own}`,
        "--manage-hpas=all",
        "--cron-hpa",
        "--horizontal-pod-autoscaler-sync-period=2s",
        "--leader-elect-lease-duration=8s",
        "--leader-elect-renew-deadline=6s",
        "--leader-elect-retry-period=1s",
        "--leader-elect-resource-namespace=plimsoll",
        "--port=0",
      ]),
    want: (wanted) => void (replicas = wanted),
    async reaches(wanted) {
      await until(`the victim to have ${wanted} replicas`, async () => {
        const { spec } = await client.request<{ readonly spec: { readonly replicas: number } }>({
          path: "/apis/apps/v1/namespaces/victim/deployments/victim",
        });
        return spec.replicas === wanted || undefined;
      });
    },
    async isServed() {
      const path = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/victim/pods/*/packets-per-second";
      await until("the metric of the rules file", async () => {
        const { items } = await client.request<{ readonly items: readonly object[] }>({ path });
        return items.length === podCount || undefined;
      });
    },
  };
}

const crds = [
  "crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml",
  "crds/metricrules.autoscaling.plimsoll.dev.yaml",
  "crds/cronhorizontalpodautoscalers.autoscaling.alibabacloud.com.yaml",
];

/** With the account that pods need, as no controller creates it here. */
function namespace(name: string): string {
  return `apiVersion: v1
kind: Namespace
metadata: { name: ${name} }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: default, namespace: ${name} }
`;
}

const victim = `apiVersion: apps/v1
kind: Deployment
metadata: { name: victim, namespace: victim }
spec:
  replicas: ${podCount}
  selector: { matchLabels: { app: victim } }
  template:
    metadata: { labels: { app: victim } }
    spec: { containers: [{ name: main, image: "registry.example/main:1" }] }
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: victim, namespace: victim }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: victim }
  minReplicas: 1
  maxReplicas: 30
  metrics:
    - type: Pods
      pods:
        metric: { name: packets-per-second }
        target: { type: AverageValue, averageValue: "${perPod}" }
  behavior: { scaleUp: { policies: [{ type: Pods, value: 10, periodSeconds: 1 }] } }
`;

async function runPod(client: KubeClient, name: string): Promise<void> {
  const path = "/api/v1/namespaces/victim/pods";
  const containers = [{ name: "main", image: "registry.example/main:1" }];
  const metadata = { name, labels: { app: "victim" } };
  await client.request({
    method: "POST",
    path,
    body: { apiVersion: "v1", kind: "Pod", metadata, spec: { containers } },
  });
  const at = new Date(Date.now() - 600_000).toISOString();
  const ready = { type: "Ready", status: "True", lastTransitionTime: at };
  await client.request({
    method: "PATCH",
    path: `${path}/${name}/status`,
    contentType: "application/merge-patch+json",
    body: { status: { phase: "Running", startTime: at, conditions: [ready] } },
  });
}

/** After an outage of more than 10 s the server may have been restored from a backup: everything is listed again. */
const outageMs = 12_000;

/** What both processes reach the API server through. */
async function startLink(to: URL, stops: Stops) {
  const open = new Set<Socket>();
  let isCut = false;
  const server = createTcpServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(to.port), to.hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  const cutAll = () => {
    for (const socket of open) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(async () => {
    cutAll();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async cut() {
      isCut = true;
      cutAll();
      // The length of the outage is what the test is about.
      await new Promise((resolve) => setTimeout(resolve, outageMs));
      isCut = false;
    },
  };
}

/** A gauge for each pod of the victim. Its address. */
async function serveMetrics(value: () => number, stops: Stops): Promise<string> {
  const server = createServer((_request, response) => {
    const lines = Array.from(
      { length: podCount },
      (_, number) => `packets_per_second{namespace="victim",pod="victim-${number}"} ${value()}\n`,
    );
    response.setHeader("Content-Type", "text/plain; version=0.0.4").end(lines.join(""));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The most memory that a process ever had, in MiB. */
export function peakMiB({ pid }: Pick<PlimsollProcess, "pid">): number {
  const [, kib = "NaN"] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kib) / 1024);
}
