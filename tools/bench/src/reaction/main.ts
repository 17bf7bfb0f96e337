// How soon replicas are written after a step in the load of pods, by live metrics:
//   npm run bench -- reaction [--workloads 100] [--pods 10]
//   PROM_ADAPTER=/path/to/adapter npm run bench -- reaction      puts prometheus-adapter and kube-controller-manager beside it
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
import { adapterInImage } from "../autoscaler/as-in-image.ts";
import { type PodPages, servePodPages } from "./pages.ts";
import { measurePeer } from "./peer.ts";
import { deploymentOf, isActive, type Setup, stepOf } from "./step.ts";

const { values } = parseArgs({
  options: {
    workloads: { type: "string", default: "100" },
    pods: { type: "string", default: "10" },
    "peer-workloads": { type: "string", default: "20" },
  },
});
const [workloads, pods] = [Number(values.workloads), Number(values.pods)];
const peerWorkloads = Number(values["peer-workloads"]);
const perReplica = 100;
const folder = mkdtempSync(join(tmpdir(), "plimsoll-reaction-"));
const stops: Stops = [];
const names = Array.from({ length: workloads }, (_, at) => `shop-${at}`);

const setup: Setup = { names, pods, perReplica, folder };

async function measure(): Promise<void> {
  const pages = await servePodPages();
  stops.push(pages.stop);
  const ours = await measureOurs(pages);
  const program = process.env["PROM_ADAPTER"];
  if (program === undefined) return;
  const peer = { ...setup, names: names.slice(0, peerWorkloads) };
  const theirs = await measurePeer(program, peer, pages, stops);
  print(
    `prometheus-adapter and kube-controller-manager: ${peer.names.length} workloads, scrape 15s, rate[1m]`,
    theirs,
  );
  console.log(`ratio at p50: ${(quantile(theirs, 0.5) / quantile(ours, 0.5)).toFixed(1)}`);
}

async function measureOurs(pages: PodPages): Promise<readonly number[]> {
  for (const name of names) pages.load(name, pods * perReplica);
  const own: Stops = [];
  try {
    const cluster = await startCluster(pages.port, own);
    const { store } = cluster;
    const processes = await startProcesses(cluster, own);
    own.push(pages.follow(store));
    const autoscalers = { store, resource: "workloadautoscalers.autoscaling.plimsoll.dev" };
    await until("all metrics to have a value", () =>
      Promise.resolve(names.every((name) => isActive(autoscalers, name)) || undefined),
    );
    const before = processes.map(({ pid }) => cpuSeconds(pid));
    const startedMs = Date.now();
    const delays: number[] = [];
    for (const name of names)
      delays.push(await stepOf({ store, pages, name, pods, perReplica, withinMs: 1_000 }));
    const seconds = (Date.now() - startedMs) / 1000;
    const [adapter, autoscaler] = processes.map(({ pid }, at) => {
      const share = Math.round((100 * (cpuSeconds(pid) - (before[at] ?? 0))) / seconds);
      return `${share} % of a core, ${residentMiB(pid)} MiB`;
    });
    print(`live: ${workloads} workloads with ${pods} pods each, interval 1s, window 5s`, delays);
    console.log(`adapter ${adapter}; autoscaler ${autoscaler}`);
    return delays;
  } finally {
    await stopAll(own);
  }
}

function print(title: string, delays: readonly number[]): void {
  console.log(`${title}; load average ${loadavg()[0]?.toFixed(1)}`);
  console.log(
    `from the step to the write: p50 ${quantile(delays, 0.5)} ms, p99 ${quantile(delays, 0.99)} ms, most ${Math.max(...delays)} ms`,
  );
}

function quantile(delays: readonly number[], share: number): number {
  const sorted = delays.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function startCluster(port: number, stops: Stops): Promise<SandboxCluster> {
  const manifests = [
    readText("crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml") ?? "",
    readText("crds/metricrules.autoscaling.plimsoll.dev.yaml") ?? "",
    ...names.flatMap((name) => [deploymentOf(name, setup, port), autoscaler(name)]),
  ];
  const file = join(folder, "objects.yaml");
  writeFileSync(file, manifests.join("\n---\n"));
  const sandbox = { workloads: { podNetwork: 127, readyDelayMs: 0, terminationMs: 0, nodes: 20 } };
  return startSandboxCluster({ folder: join(folder, "cluster"), workloads: file, sandbox }, stops);
}

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

async function startProcesses(cluster: SandboxCluster, stops: Stops) {
  const config = join(folder, "rules.yaml");
  writeFileSync(config, "rules: []\n");
  const kubeconfig = cluster.kubeconfigFor("metrics-adapter");
  const flags = [
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
  ];
  const adapter = await startPlimsoll("metrics-adapter", flags, adapterInImage(join(folder, "rootfs")));
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

function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}

try {
  await measure();
} finally {
  await stopAll(stops);
  rmSync(folder, { recursive: true, force: true });
}
