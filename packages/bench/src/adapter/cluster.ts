// The API server that the adapters under measurement list their pods from.
import { createSandbox, type Sandbox, type SandboxAddress } from "@plimsoll/sandbox";
import { allWorkloads, type Workload } from "./fleet.ts";

export interface Cluster {
  readonly address: SandboxAddress;
  readonly store: Sandbox["store"];
  stop(): Promise<void>;
}

/** A kube API with the fleet's pods: as large as real ones, running, and never changed. */
export async function startCluster(): Promise<Cluster> {
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
