// What every measurement of the adapter begins with: a cluster, a Prometheus that responds at once, a driver, certificates.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox, type Sandbox, type SandboxAddress } from "@plimsoll/sandbox";
import { cores, startHelper } from "@plimsoll/testbed";
import type { AdapterSettings } from "./adapters.ts";
import type { FakePrometheusCounts } from "./fake-prometheus.ts";
import { allWorkloads, rules, type Workload } from "./fleet.ts";
import type { Bench } from "./measure.ts";
import { createPki } from "./pki.ts";

/** Until it is closed; `stops` run then, the last one first. */
export interface OpenBench extends Bench {
  readonly folder: string;
  readonly cluster: Cluster;
  readonly settings: AdapterSettings;
  readonly stops: (() => Promise<unknown>)[];
  counts(): Promise<FakePrometheusCounts>;
  /** Writes into the folder. @returns the path */
  file(name: string, text: string): string;
}

/** Opens what a measurement needs, runs it, and closes everything, whatever happens. */
export async function withBench(name: string, run: (bench: OpenBench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), `plimsoll-bench-${name}-`));
  const stops: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  // Whoever ends this program does not know of the processes that it has started.
  for (const signal of ["SIGINT", "SIGTERM"])
    process.once(signal, () => void close().finally(() => process.exit(1)));
  try {
    await run(await open(folder, stops));
  } finally {
    await close();
  }
}

async function open(folder: string, stops: OpenBench["stops"]): Promise<OpenBench> {
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const pki = await createPki();
  const cluster = await startCluster();
  stops.push(cluster.stop);
  const fake = await startHelper(new URL("./fake-prometheus.ts", import.meta.url), cores.rest);
  stops.push(fake.stop);
  const driver = await startHelper(new URL("./driver.ts", import.meta.url), cores.rest);
  stops.push(driver.stop);
  const counts = () => fake.request<FakePrometheusCounts>({});
  const settings: AdapterSettings = {
    folder,
    pki,
    prometheusUrl: (await counts()).url,
    rules: file("rules.yaml", rules),
    kubeconfig: file("kubeconfig", cluster.address.kubeconfigFor("bench", ["system:masters"])),
    extraFlags: [],
  };
  const queries = async () => (await counts()).queries;
  return { folder, stops, pki, cluster, driver, counts, settings, queries, file };
}

interface Cluster {
  readonly address: SandboxAddress;
  readonly store: Sandbox["store"];
  stop(): Promise<void>;
}

/** A kube API with the fleet's pods: as large as real ones, running, and never changed. */
async function startCluster(): Promise<Cluster> {
  const sandbox = createSandbox({ workloads: false, historyLimit: 100 });
  const address = await sandbox.start();
  for (const workload of allWorkloads) {
    for (const name of workload.pods) sandbox.store.create("pods", pod(workload, name));
  }
  return { address, store: sandbox.store, stop: () => sandbox.stop() };
}

// About 5 kB as JSON, which is what pods with two containers, probes and injected variables come to.
const variables = Array.from({ length: 40 }, (_, i) => ({
  name: `SERVICE_SETTING_${i}`,
  value: `value-of-a-setting-${i}`,
}));

function pod({ namespace, name: app }: Workload, name: string) {
  const container = (image: string) => ({
    name: image,
    image: `registry.example.com/team/${image}:1.2.3`,
    env: variables,
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    readinessProbe: { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 10 },
  });
  const conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
    type,
    status: "True",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  }));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { app, "pod-template-hash": "5d9c7b8f6d" } },
    spec: { nodeName: "node-1", containers: [container("app"), container("proxy")] },
    status: { phase: "Running", podIP: "10.0.0.1", startTime: "2026-01-01T00:00:00Z", conditions },
  };
}
