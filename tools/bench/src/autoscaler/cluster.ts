// A sandbox full of HPAs, Deployments and pods, with a fake metrics.k8s.io behind it. Speaks JSON lines with the
// process that started it: {"ready":…} once, then a response for every line that comes in. "counts": the requests so
// far. "step": from now on one workload in a hundred uses twice as much. "lags": how many have stepped, and the time
// from the step to the write of each new count, in ms. "token NAME": a token of this service account. "relist": all watches end
// and have to list. "storm": from now on every workload uses twice as much. "storm-state": what has arrived of it.
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { protobufMediaType } from "@plimsoll/kube/protobuf";
import { createCertificateAuthority, createSandbox, type ObjectStore } from "@plimsoll/sandbox";
import { forceRelists, stormState } from "./cluster-storm.ts";
import { usageBytes } from "./usage-bytes.ts";

const [objectsText = "100", podsText = "15", kubeconfigFile = "", load = "still", resolution = "0"] =
  process.argv.slice(2);
const objects = Number(objectsText);
const podsEach = Number(podsText);
const namespaces = Math.max(1, Math.round(objects / 50));
const placeholder = "TIMESTAMP";
/** A prime, so that they are in all namespaces. */
let stepEvery = 101;
let steppedAtMs: number | undefined;
const containers = [{ name: "main", image: "x", resources: { requests: { cpu: "100m", memory: "64Mi" } } }];
const lagsMs = new Map<string, number>();
const counts: Record<string, number> = {};
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1;
};

const sandbox = createSandbox({
  workloads: false,
  authorize({ verb, resource }) {
    if (resource === undefined) {
      count("discovery");
      return { allowed: true };
    }
    const { name, subresource } = resource;
    // The fake API counts what reaches it.
    if (resource.group !== "metrics.k8s.io")
      count(`${verb} ${resource.resource}${subresource === "" ? "" : `/${subresource}`}`);
    if (verb === "update" && subresource === "scale" && steppedAtMs !== undefined && !lagsMs.has(name))
      lagsMs.set(name, performance.now() - steppedAtMs);
    return { allowed: true };
  },
});
const address = await sandbox.start();
writeFileSync(kubeconfigFile, address.kubeconfigFor("bench", []), { mode: 0o600 });
const metricsApi = await startFakeMetricsApi();
register(sandbox.store, metricsApi.port);
for (let index = 0; index < objects; index++) fill(sandbox.store, index);
console.log(JSON.stringify({ ready: true }));
createInterface({ input: process.stdin }).on("line", (line) => {
  void respond(line);
});
process.stdin.on("end", () => process.exit(0));

async function respond(line: string): Promise<void> {
  if (line === "relist") await forceRelists(sandbox);
  if (line === "storm") {
    stepEvery = 1;
    lagsMs.clear();
  }
  if (line === "step" || line === "storm") steppedAtMs = performance.now();
  console.log(JSON.stringify(responseTo(line)));
}

function responseTo(line: string): unknown {
  if (line === "storm-state") return stormState(sandbox, 2 * podsEach);
  if (line === "lags") return { stepped: Math.ceil(objects / stepEvery), lagsMs: [...lagsMs.values()] };
  const [request, name = ""] = line.split(" ");
  return request === "token" ? address.serviceAccountToken("bench", name) : counts;
}

function fill(store: ObjectStore, index: number): void {
  const namespace = `bench-${index % namespaces}`;
  if (store.get("namespaces", undefined, namespace) === undefined)
    store.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const name = `w-${index}`;
  const labels = { app: name };
  store.create("deployments.apps", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace, labels },
    spec: {
      replicas: podsEach,
      selector: { matchLabels: labels },
      // Without containers the API server refuses every write of replicas.
      template: { metadata: { labels }, spec: { containers } },
    },
    status: { replicas: podsEach, readyReplicas: podsEach },
  });
  for (let n = 0; n < podsEach; n++)
    store.create("pods", podOf({ name: `${name}-${n}`, namespace, labels }, index, n));
  store.create("horizontalpodautoscalers.autoscaling", {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas: 1,
      maxReplicas: 100,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
        },
      ],
    },
  });
}

/** The pods of a workload start within seconds of each other. */
function podOf(
  metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  },
  index: number,
  n: number,
) {
  const start = instant(index * 7 + (n % 4));
  const ready = instant(index * 7 + (n % 4) + 12 + (n % 3));
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata,
    spec: { containers },
    status: {
      phase: "Running",
      startTime: start,
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: ready }],
    },
  };
}

function instant(second: number): string {
  return `${new Date(Date.UTC(2025, 0, 1) + second * 1000).toISOString().slice(0, 19)}Z`;
}

/** A metrics.k8s.io that serves the pods of one workload, or of a whole namespace, at exactly their target. */
async function startFakeMetricsApi(): Promise<{ readonly port: number }> {
  const authority = await createCertificateAuthority("bench", Date.now());
  const { certPem, keyPem } = await authority.issueServer("metrics", { dns: ["metrics.bench.svc"], ips: [] });
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    count("metrics");
    const url = new URL(request.url ?? "/", "https://metrics");
    response.setHeader("content-type", "application/json");
    if (!url.pathname.includes("/namespaces/")) {
      response.end(JSON.stringify(discovery));
      return;
    }
    const namespace = url.pathname.split("/")[5] ?? "";
    const app = url.searchParams.get("labelSelector")?.replace("app=", "");
    const first = Number(namespace.slice("bench-".length));
    const apps = app === undefined ? appsOf(first) : [app];
    const json = podMetrics(namespace, apps);
    const hasProtobuf = request.headers.accept?.includes(protobufMediaType) === true;
    if (hasProtobuf) response.setHeader("content-type", protobufMediaType);
    response.end(hasProtobuf ? usageBytes(json) : json);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port };
}

function appsOf(first: number): readonly string[] {
  const apps: string[] = [];
  for (let index = first; index < objects; index += namespaces) apps.push(`w-${index}`);
  return apps;
}

/** What is between the timestamps of a response: it is made once, so that this process leaves the core to the other. */
const written = new Map<string, { readonly usage: string; readonly pieces: readonly string[] }>();

function podMetrics(namespace: string, apps: readonly string[]): string {
  const usage = apps.map(usageOf).join();
  const key = `${namespace}/${apps.length === 1 ? apps[0] : ""}`;
  const known = written.get(key);
  const pieces = known?.usage === usage ? known.pieces : piecesOf(namespace, apps);
  written.set(key, { usage, pieces });
  return pieces.join(new Date(sampledMs()).toISOString());
}

/** When the usage that is served was sampled. */
function sampledMs(): number {
  const everyMs = Number(resolution) * 1000;
  return everyMs === 0 ? Date.now() : Math.floor(Date.now() / everyMs) * everyMs;
}

function piecesOf(namespace: string, apps: readonly string[]): readonly string[] {
  const items = apps.flatMap((app) => {
    const cpu = `${usageOf(app)}m`;
    return Array.from({ length: podsEach }, (_, n) => ({
      metadata: { name: `${app}-${n}`, namespace, labels: { app } },
      timestamp: placeholder,
      window: "30s",
      containers: [{ name: "main", usage: { cpu, memory: "32Mi" } }],
    }));
  });
  const metadata = {};
  return JSON.stringify({
    kind: "PodMetricsList",
    apiVersion: "metrics.k8s.io/v1beta1",
    metadata,
    items,
  }).split(placeholder);
}

/** In millicores; the target is 50. A moving load shows in every status and needs no other replicas. */
function usageOf(app: string): number {
  const still = load === "still" ? 50 : 48 + ((Math.floor(sampledMs() / 7000) + app.length) % 5);
  const isStepped = steppedAtMs !== undefined && Number(app.slice("w-".length)) % stepEvery === 0;
  return isStepped ? 2 * still : still;
}

const discovery = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: "metrics.k8s.io/v1beta1",
  resources: [
    { name: "pods", singularName: "pod", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
  ],
};

function register(store: ObjectStore, port: number): void {
  store.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "bench" } });
  store.create("services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "metrics", namespace: "bench" },
    spec: { type: "ExternalName", externalName: "localhost", ports: [{ name: "https", port }] },
  });
  store.create("apiservices.apiregistration.k8s.io", {
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
  });
}
