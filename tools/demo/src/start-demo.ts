// Starts what the demo shows: the API server and the page first, then what the page shows.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createExporter, type LoadModel } from "@plimsoll/sandbox";
import {
  freePort,
  type SandboxCluster,
  type Stack,
  type Stops,
  startSandboxCluster,
  startStackPipeline,
  until,
} from "@plimsoll/testbed";
import { quietLoads } from "./scenario.ts";
import type { Stage } from "./stage.ts";
import { startDemoAutoscaler, startOtherController } from "./start-autoscaler.ts";
import { type DemoConsole, startConsole } from "./start-console.ts";

/** All that runs. */
export interface DemoStack extends Omit<Stack, "stop"> {
  /** Where the autoscaler serves its decisions. */
  readonly decisionsUrl: string;
  readonly page: DemoConsole;
}

const local = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const example = (name: string) => local(`examples/demo/${name}`);

/** The page is there first, and shows the rest as it appears. What ends each part is pushed on `stops`. */
export async function startDemo(stage: Stage, stops: Stops): Promise<DemoStack> {
  const { run, scenario, screen } = stage;
  const { folder } = run;
  const prometheusPort = await freePort();
  screen.say("Starting an API server and the web page …");
  const opened = Promise.withResolvers<DemoConsole>();
  // It may fail while the manifests are applied.
  opened.promise.catch(() => undefined);
  const cluster = await startSandboxCluster(
    {
      folder,
      workloads: example("workloads.yaml"),
      sandbox: { rbac: true },
      onServing(kubeconfig) {
        const prometheusUrl = `http://127.0.0.1:${prometheusPort}`;
        openPage({ kubeconfig, prometheusUrl }, stage).then(opened.resolve, opened.reject);
      },
    },
    stops,
  );
  const page = await opened.promise;
  stops.push(() => page.stop());
  screen.say("Starting the autoscaler, a real Prometheus and the metrics adapter …");
  for (const kind of ["workloadautoscalers", "metricrules"])
    await cluster.apply(local(`deploy/crds/${kind}.autoscaling.plimsoll.dev.yaml`));
  const autoscaler = await startDemoAutoscaler(cluster, run);
  stops.push(() => autoscaler.stop());
  const pipeline = await startStackPipeline(
    {
      folder,
      prometheus: run.prometheus,
      prometheusPort,
      scrapeIntervalMs: 1000,
      rules: example("rules.yaml"),
      loads: quietLoads(scenario),
      isObserved: true,
      onSpawn: run.onSpawn,
      // Half of the scrape interval: an older response would show the load of fewer pods.
      adapterArgs: [
        "--metrics-relist-interval=2s",
        "--metrics-max-age=10s",
        "--metrics-result-max-age=500ms",
        "--metric-rules=true",
        "--live-metrics=true",
        "--live-pod-cidrs=127.0.0.1/32",
      ],
    },
    cluster,
    stops,
  );
  pipeline.scrapeAutoscaler(autoscaler.port);
  await cluster.apply(await startLive(pipeline.load, folder, stops));
  await startObjects(cluster, stage, stops);
  return { ...cluster, ...pipeline, page, decisionsUrl: `http://127.0.0.1:${autoscaler.port}` };
}

async function openPage(
  cluster: Parameters<typeof startConsole>[0],
  { run, screen }: Stage,
): Promise<DemoConsole> {
  const page = await startConsole(cluster, {
    onSpawn: run.onSpawn,
    onNext: (address) => screen.say(`The page is open. For another browser: ${address}`),
  });
  screen.say(`Watch it live in your browser: ${page.address()}`);
  return page;
}

/** The page of the pods that are read live, and the file with its workload. */
async function startLive(load: LoadModel, folder: string, stops: Stops): Promise<string> {
  const exporter = createExporter({ model: { collect: load.page }, clock: { nowMs: Date.now } });
  const { port } = await exporter.start();
  stops.push(() => exporter.stop());
  const file = join(folder, "live.yaml");
  writeFileSync(file, readFileSync(example("live.yaml"), "utf8").replace("9090", String(port)));
  return file;
}

/** The autoscalers, once their metrics are served. */
async function startObjects(cluster: SandboxCluster, { run, screen }: Stage, stops: Stops): Promise<void> {
  for (const name of ["schedule.yaml", "shadow.yaml"]) await cluster.apply(example(name));
  const other = await startOtherController(cluster, run);
  stops.push(() => other.stop());
  screen.say("Waiting for the first scrape and the metrics APIs …");
  for (const path of metricPaths) {
    await until(`a response at ${path}`, () => isServed(cluster, path), {
      timeoutMs: 60_000,
      signal: run.signal,
    });
  }
  await cluster.apply(example("autoscalers.yaml"));
}

/** One request for each autoscaler's metric. */
const metricPaths = [
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/packets-per-second",
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/ingresses.networking.k8s.io/main-route/requests-per-second",
  "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue_depth",
  "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods",
];

async function isServed({ client }: SandboxCluster, path: string): Promise<true | undefined> {
  const { items } = await client.request<{ items: readonly unknown[] }>({ path });
  return items.length > 0 ? true : undefined;
}
