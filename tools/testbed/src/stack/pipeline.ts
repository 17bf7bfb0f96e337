// Starts load, Prometheus and the adapter for a cluster.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "@plimsoll/component-base";
import { type KubeClient, type RestMapper } from "@plimsoll/kube";
import {
  createExporter,
  createLoadModel,
  type LoadModel,
  type ObjectStore,
  stateFamilies,
  type WorkloadLoad,
} from "@plimsoll/sandbox";
import { applyManifests } from "./apply.ts";
import type { ChildOptions } from "./child.ts";
import { type PlimsollProcess, plimsollCommand, startPlimsoll } from "./plimsoll-process.ts";
import { type PrometheusServer, startPrometheus } from "./prometheus.ts";
import { ADAPTER_SERVER_NAME, registration } from "./registration.ts";
import type { Stops } from "./stops.ts";

/** Load on a cluster's pods, a Prometheus that watches it, and the adapter as the cluster's metrics API. */
export interface Pipeline {
  readonly load: LoadModel;
  readonly prometheus: PrometheusServer;
  /** With `isObserved`: Prometheus scrapes the autoscaler at this port from now on. */
  readonly scrapeAutoscaler: (port: number) => void;
  readonly adapter: PlimsollProcess;
}

export interface PipelineOptions extends Pick<ChildOptions, "onSpawn"> {
  readonly folder: string;
  /** The Prometheus program. */
  readonly prometheus: string;
  /** Its port; any that is free when absent. */
  readonly prometheusPort?: number;
  readonly scrapeIntervalMs: number;
  /** The adapter's configuration file. */
  readonly rules: string;
  readonly loads: readonly WorkloadLoad[];
  readonly adapterArgs?: readonly string[];
  /** Let the exporter say when each sample was taken, so that rates do not waver with the scrapes. */
  readonly withTimestamps?: boolean;
  /** Prometheus has what kube-state-metrics exports of the objects, too, and the autoscaler's own series. */
  readonly isObserved?: boolean;
  /** YAML items of scrape_configs that see the exporter's series another way. */
  readonly otherJobs?: (exporter: string) => string;
}

export interface PipelineCluster {
  readonly client: KubeClient;
  readonly mapper: RestMapper;
  readonly store: Pick<ObjectStore, "get" | "list" | "subscribe">;
  /** The kubeconfig file that the adapter runs with. */
  readonly adapterKubeconfig: string;
}

/** Puts load on a cluster's pods, and a Prometheus that watches it beside them. */
export async function startObservedLoad(
  options: Pick<
    PipelineOptions,
    | "folder"
    | "prometheus"
    | "prometheusPort"
    | "scrapeIntervalMs"
    | "loads"
    | "withTimestamps"
    | "isObserved"
    | "otherJobs"
    | "onSpawn"
  >,
  store: PipelineCluster["store"],
  stops: Stops,
): Promise<Omit<Pipeline, "adapter">> {
  const load = createLoadModel({ clock: systemClock, store, loads: options.loads });
  load.start();
  stops.push(async () => load.stop());
  const exporter = createExporter({
    model: load,
    clock: systemClock,
    withTimestamps: options.withTimestamps ?? false,
  });
  const { port: exporterPort } = await exporter.start();
  stops.push(() => exporter.stop());
  const target = `127.0.0.1:${exporterPort}`;
  const folder = join(options.folder, "prometheus");
  const autoscalerTargets = join(folder, "autoscaler.json");
  const observed =
    options.isObserved === true
      ? { stateTarget: await startStateExporter(store, stops), autoscalerTargets }
      : {};
  const prometheus = await startPrometheus({
    binary: options.prometheus,
    folder,
    target,
    ...observed,
    scrapeIntervalMs: options.scrapeIntervalMs,
    onSpawn: options.onSpawn,
    ...(options.prometheusPort === undefined ? {} : { port: options.prometheusPort }),
    ...(options.otherJobs === undefined ? {} : { scrapeConfigs: options.otherJobs(target) }),
  });
  stops.push(() => prometheus.stop());
  const scrapeAutoscaler = (port: number): void =>
    writeFileSync(autoscalerTargets, JSON.stringify([{ targets: [`127.0.0.1:${port}`] }]));
  return { load, prometheus, scrapeAutoscaler };
}

/** What kube-state-metrics does in a cluster. Its address. */
async function startStateExporter(store: PipelineCluster["store"], stops: Stops): Promise<string> {
  const exporter = createExporter({ model: { collect: () => stateFamilies(store) }, clock: systemClock });
  const { port } = await exporter.start();
  stops.push(() => exporter.stop());
  return `127.0.0.1:${port}`;
}

/** Starts its parts one after the other; what ends each of them is pushed on `stops` as it starts. */
export async function startPipeline(
  options: PipelineOptions,
  { client, mapper, store, adapterKubeconfig }: PipelineCluster,
  stops: Stops,
): Promise<Pipeline> {
  const observed = await startObservedLoad(options, store, stops);
  const certDir = join(options.folder, "adapter");
  const adapterArgs = [
    `--config=${options.rules}`,
    `--prometheus-url=${observed.prometheus.url}`,
    `--lister-kubeconfig=${adapterKubeconfig}`,
    `--authentication-kubeconfig=${adapterKubeconfig}`,
    `--authorization-kubeconfig=${adapterKubeconfig}`,
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    `--cert-dir=${certDir}`,
    `--self-signed-cert-hosts=${ADAPTER_SERVER_NAME}`,
    ...(options.adapterArgs ?? []),
  ];
  const adapter = await startPlimsoll("metrics-adapter", adapterArgs, {
    ...plimsollCommand("metrics-adapter"),
    onSpawn: options.onSpawn,
  });
  stops.push(() => adapter.stop());
  const caPem = readFileSync(join(certDir, "ca.crt"), "utf8");
  await applyManifests({ client, mapper }, registration({ port: adapter.port, caPem }));
  return { ...observed, adapter };
}

/** Rules for the demo's metrics from gauges, which have the same value at every instant between two changes of the load. */
export const gaugeRules = fileURLToPath(new URL("../../gauge-rules.yaml", import.meta.url));
