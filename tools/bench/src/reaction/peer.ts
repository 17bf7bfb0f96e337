// The same step with the real prometheus-adapter and kube-controller-manager, at their defaults and a scrape every 15 s.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRestMapper } from "@plimsoll/kube";
import {
  applyManifests,
  type ClusterStore,
  findBinaries,
  followCluster,
  freePort,
  hpaController,
  parseManifests,
  prometheusProgram,
  registration,
  type Stops,
  startChild,
  startControlPlane,
  startFakeKubelet,
  startPrometheus,
  until,
  workloadControllers,
} from "@plimsoll/testbed";
import type { PodPages } from "./pages.ts";
import { deploymentOf, isActive, type Setup, stepOf } from "./step.ts";

const scrapeIntervalMs = 15_000;
/** HPAs of the same cluster, whose periods are at other moments, step together. */
const spreadMs = 15_000;

const rules = `rules:
  - seriesQuery: 'http_requests_total{namespace!="",pod!=""}'
    resources: { overrides: { namespace: { resource: namespace }, pod: { resource: pod } } }
    name: { matches: "^(.*)_total$", as: "\${1}_per_second" }
    metricsQuery: sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)
`;

const hpaOf = (name: string, { perReplica }: Setup) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name}, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  minReplicas: 1
  maxReplicas: 100
  metrics:
    - type: Pods
      pods:
        metric: { name: http_requests_per_second }
        target: { type: AverageValue, averageValue: "${perReplica}" }
`;

/** @returns the time from the step to the write, of each workload */
export async function measurePeer(
  program: string,
  setup: Setup,
  pages: PodPages,
  stops: Stops,
): Promise<readonly number[]> {
  const { names, pods, perReplica } = setup;
  for (const name of names) pages.load(name, pods * perReplica);
  const store = await startCluster(program, setup, pages, stops);
  const hpas = { store, resource: "horizontalpodautoscalers.autoscaling" };
  await until(
    "all metrics of the peer to have a value",
    () => Promise.resolve(names.every((name) => isActive(hpas, name)) || undefined),
    { timeoutMs: 300_000 },
  );
  return await Promise.all(
    names.map((name) => stepOf({ store, pages, name, pods, perReplica, withinMs: spreadMs })),
  );
}

async function startCluster(
  program: string,
  setup: Setup,
  pages: PodPages,
  stops: Stops,
): Promise<ClusterStore> {
  const { names, folder } = setup;
  const onError = (error: unknown): void => console.error(error);
  const plane = await startControlPlane({
    folder: join(folder, "peer"),
    binaries: await findBinaries(onError),
    controllerManager: { args: [`--controllers=${[...workloadControllers, hpaController].join(",")}`] },
  });
  stops.push(plane.stop);
  const { client, kubeconfig } = plane;
  const kubelet = await startFakeKubelet({
    client,
    readyDelayMs: 0,
    terminationMs: 0,
    podNetwork: "127.65",
    onError,
  });
  stops.push(kubelet.stop);
  const store = await followCluster(client, onError);
  stops.push(store.stop);
  pages.follow(store);
  const to = { client, mapper: createRestMapper({ client }) };
  const objects = names.flatMap((name) => [deploymentOf(name, setup, pages.port), hpaOf(name, setup)]);
  await applyManifests(to, parseManifests(objects.join("---\n")));
  const targets = join(folder, "targets.json");
  writeFileSync(targets, JSON.stringify(await targetsOf(store, setup, pages.port)));
  const prometheus = await startPrometheus({
    binary: prometheusProgram(),
    folder: join(folder, "prometheus"),
    scrapeIntervalMs,
    scrapeConfigs: `  - job_name: pods\n    file_sd_configs: [{ files: ["${targets}"] }]\n`,
  });
  stops.push(prometheus.stop);
  const port = await freePort();
  stops.push(await startAdapter(program, { folder, kubeconfig, port, prometheusUrl: prometheus.url }));
  const registered = registration({ port, caPem: "" }).filter(
    ({ kind, metadata }) => kind !== "APIService" || metadata.name === "v1beta1.custom.metrics.k8s.io",
  );
  await applyManifests(to, registered.map(withoutCa));
  return store;
}

/** @returns what stops it */
async function startAdapter(
  program: string,
  {
    folder,
    kubeconfig,
    port,
    prometheusUrl,
  }: {
    readonly folder: string;
    readonly kubeconfig: string;
    readonly port: number;
    readonly prometheusUrl: string;
  },
): Promise<() => Promise<void>> {
  const config = join(folder, "peer-rules.yaml");
  writeFileSync(config, rules);
  const adapter = await startChild({
    name: "prometheus-adapter",
    command: program,
    args: [
      `--config=${config}`,
      `--prometheus-url=${prometheusUrl}`,
      `--lister-kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      "--metrics-relist-interval=1m",
      `--cert-dir=${folder}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
    ],
    ready: (line) => line.includes("Serving securely"),
  });
  return adapter.stop;
}

/** All pods, once each has its address. */
function targetsOf(store: ClusterStore, { names, pods }: Setup, port: number): Promise<readonly object[]> {
  return until("the pods of the peer", () => {
    const targets = store.list("pods").flatMap((pod) => {
      const { metadata, status } = pod as typeof pod & { readonly status?: { readonly podIP?: string } };
      if (status?.podIP === undefined) return [];
      return { targets: [`${status.podIP}:${port}`], labels: { namespace: "default", pod: metadata.name } };
    });
    return Promise.resolve(targets.length === names.length * pods ? targets : undefined);
  });
}

/** Its certificate is its own. */
function withoutCa<T extends { readonly kind?: string }>(object: T): T {
  if (object.kind !== "APIService") return object;
  const { spec } = object as { readonly spec?: object };
  return { ...object, spec: { ...spec, caBundle: undefined, insecureSkipTLSVerify: true } };
}
