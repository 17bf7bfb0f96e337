// How soon replicas are written after a step in the load of pods, by live metrics:
//   npm run bench -- reaction [--workloads 100] [--pods 10]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  ADAPTER_SERVER_NAME,
  applyManifests,
  readText,
  registration,
  type SandboxCluster,
  type Stops,
  startPlimsoll,
  startSandboxCluster,
  stopAll,
  until,
} from "@plimsoll/testbed";
import { type PodPages, servePodPages } from "./pages.ts";

const { values } = parseArgs({
  options: {
    workloads: { type: "string", default: "100" },
    pods: { type: "string", default: "10" },
  },
});
const [workloads, pods] = [Number(values.workloads), Number(values.pods)];
/** Requests per second that one replica is meant for. */
const perReplica = 100;
const folder = mkdtempSync(join(tmpdir(), "plimsoll-reaction-"));
const stops: Stops = [];
const names = Array.from({ length: workloads }, (_, at) => `shop-${at}`);

async function measure(): Promise<void> {
  const pages = await servePodPages();
  stops.push(pages.stop);
  for (const name of names) pages.load(name, pods * perReplica);
  const cluster = await startCluster(pages.port);
  const processes = await startProcesses(cluster);
  pages.follow(cluster.store);
  await until("all metrics to have a value", () =>
    Promise.resolve(names.every((name) => isActive(cluster, name)) || undefined),
  );
  const before = processes.map(({ pid }) => cpuSeconds(pid));
  const startedMs = Date.now();
  const delays: number[] = [];
  for (const name of names) delays.push(await react(cluster, pages, name));
  const seconds = (Date.now() - startedMs) / 1000;
  const cpu = processes.map(({ pid }, at) =>
    Math.round((100 * (cpuSeconds(pid) - (before[at] ?? 0))) / seconds),
  );
  const sorted = delays.toSorted((a, b) => a - b);
  const quantile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  console.log(
    `${workloads} workloads with ${pods} pods each, interval 1s, window 5s, a step in each; load average ${loadavg()[0]?.toFixed(1)}`,
  );
  console.log(
    `from the step to the write: p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, most ${sorted.at(-1)} ms`,
  );
  const [adapter = 0, autoscaler = 0] = cpu;
  console.log(`CPU of a core: adapter ${adapter} %, autoscaler ${autoscaler} %`);
  console.log(
    `resident memory: adapter ${residentMiB(processes[0]?.pid)} MiB, autoscaler ${residentMiB(processes[1]?.pid)} MiB`,
  );
}

/** A step to twice the load, at any moment of the interval; afterward the load and the replicas are what they were. */
async function react(cluster: SandboxCluster, pages: PodPages, name: string): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 1000));
  const stepMs = Date.now();
  pages.load(name, 2 * pods * perReplica);
  const wroteMs = await until(
    `${name} to be scaled`,
    () => Promise.resolve(replicasOf(cluster, name) > pods ? Date.now() : undefined),
    { everyMs: 10 },
  );
  pages.load(name, pods * perReplica);
  return wroteMs - stepMs;
}

function isActive({ store }: SandboxCluster, name: string): boolean {
  const found = store.get("workloadautoscalers.autoscaling.plimsoll.dev", "default", name) as
    | {
        readonly status?: {
          readonly conditions?: readonly { readonly type: string; readonly status: string }[];
        };
      }
    | undefined;
  return (
    found?.status?.conditions?.some(({ type, status }) => type === "ScalingActive" && status === "True") ===
    true
  );
}

function replicasOf({ store }: SandboxCluster, name: string): number {
  const deployment = store.get("deployments.apps", "default", name) as
    | { readonly spec?: { readonly replicas?: number } }
    | undefined;
  return deployment?.spec?.replicas ?? 0;
}

function startCluster(port: number): Promise<SandboxCluster> {
  const manifests = [
    readText("crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml") ?? "",
    readText("crds/metricrules.autoscaling.plimsoll.dev.yaml") ?? "",
    ...names.flatMap((name) => [deployment(name, port), autoscaler(name)]),
  ];
  const file = join(folder, "objects.yaml");
  writeFileSync(file, manifests.join("\n---\n"));
  const sandbox = { workloads: { podNetwork: 127, readyDelayMs: 0, terminationMs: 0, nodes: 20 } };
  return startSandboxCluster({ folder: join(folder, "cluster"), workloads: file, sandbox }, stops);
}

const deployment = (name: string, port: number) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: default }
spec:
  replicas: ${pods}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "registry.example/main:1", ports: [{ name: metrics, containerPort: ${port} }] }] }
`;

const autoscaler = (name: string) => `apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: { name: ${name}, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  minReplicas: 1
  maxReplicas: 100
  behavior: { scaleDown: { stabilizationWindowSeconds: 3600 } }
  metrics:
    - type: Query
      query:
        promql: sum(rate(http_requests_total[5s]))
        live: { port: metrics }
        target: { type: AverageValue, averageValue: "${perReplica}" }
`;

async function startProcesses(cluster: SandboxCluster) {
  const config = join(folder, "rules.yaml");
  writeFileSync(config, "rules: []\n");
  const kubeconfig = cluster.kubeconfigFor("metrics-adapter");
  const adapter = await startPlimsoll("metrics-adapter", [
    `--config=${config}`,
    "--prometheus-url=",
    "--metric-rules=true",
    "--metric-rule-limit=1000",
    "--live-metrics=true",
    "--live-pod-cidrs=127.0.0.0/8",
    "--live-namespace-scrapes=5000",
    "--live-scrapes=5000",
    `--lister-kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    `--cert-dir=${folder}`,
    `--self-signed-cert-hosts=${ADAPTER_SERVER_NAME}`,
  ]);
  stops.push(() => adapter.stop());
  const caPem = readFileSync(join(folder, "ca.crt"), "utf8");
  await applyManifests(cluster, registration({ port: adapter.port, caPem }));
  const autoscaler = await startPlimsoll("autoscaler", [
    `--kubeconfig=${cluster.kubeconfigFor("autoscaler")}`,
    "--leader-elect=false",
    "--port=0",
  ]);
  stops.push(() => autoscaler.stop());
  return [adapter, autoscaler];
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function residentMiB(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}

try {
  await measure();
} finally {
  await stopAll(stops);
  rmSync(folder, { recursive: true, force: true });
}
