import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, createRestMapper, type KubeClient, type RestMapper, systemClock } from "@plimsoll/kube";
import {
  createExporter,
  createLoadModel,
  createSandbox,
  type LoadModel,
  type ObjectStore,
  type SandboxAddress,
  type WorkloadLoad,
} from "@plimsoll/sandbox";
import { applyManifests, parseManifests } from "./apply.ts";
import { type PlimsollProcess, startPlimsoll } from "./plimsoll-process.ts";
import { type PrometheusServer, startPrometheus } from "./prometheus.ts";
import { ADAPTER_SERVER_NAME, registration } from "./registration.ts";

/** A cluster with load, a Prometheus that watches it, and the adapter as its metrics API. */
export interface Stack {
  readonly address: SandboxAddress;
  readonly store: ObjectStore;
  readonly client: KubeClient;
  readonly mapper: RestMapper;
  readonly load: LoadModel;
  readonly prometheus: PrometheusServer;
  readonly adapter: PlimsollProcess;
  /** The administrator's. */
  readonly kubeconfig: string;
  /** A kubeconfig file for a service account in namespace plimsoll. */
  kubeconfigFor(serviceAccount: string): string;
  /** Brings the objects of a YAML file to the cluster. */
  apply(file: string): Promise<void>;
  stop(): Promise<void>;
}

export interface StackOptions {
  /** An empty folder. */
  readonly folder: string;
  /** The Prometheus program. */
  readonly prometheus: string;
  readonly scrapeIntervalMs: number;
  readonly rules: string;
  /** Manifests that must be there before the adapter is. */
  readonly workloads: string;
  readonly loads: readonly WorkloadLoad[];
  readonly adapterArgs?: readonly string[];
}

/** Starts everything up to and including the adapter. What started is stopped again when a later part fails. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  try {
    return await assemble(options, stops, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function assemble(
  options: StackOptions,
  stops: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<Stack> {
  const { folder } = options;
  mkdirSync(folder, { recursive: true });
  const sandbox = createSandbox();
  const address = await sandbox.start();
  stops.push(() => sandbox.stop());
  const kubeconfigFile = (name: string, text: string) => {
    const file = join(folder, `${name}.kubeconfig`);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const kubeconfig = kubeconfigFile("admin", address.kubeconfig);
  const kubeconfigFor = (account: string) =>
    kubeconfigFile(
      account,
      address.kubeconfigFor(`system:serviceaccount:plimsoll:${account}`, ["system:serviceaccounts"]),
    );

  const client = await connect({ kubeconfig, userAgent: "plimsoll-e2e" });
  stops.push(() => client.close());
  const mapper = createRestMapper({ client });
  const apply = (file: string) =>
    applyManifests({ client, mapper }, parseManifests(readFileSync(file, "utf8")));
  await apply(options.workloads);

  const load = createLoadModel({ clock: systemClock, store: sandbox.store, loads: options.loads });
  load.start();
  stops.push(async () => load.stop());
  const exporter = createExporter({ model: load, clock: systemClock });
  const { port: exporterPort } = await exporter.start();
  stops.push(() => exporter.stop());
  const prometheus = await startPrometheus({
    binary: options.prometheus,
    folder: join(folder, "prometheus"),
    target: `127.0.0.1:${exporterPort}`,
    scrapeIntervalMs: options.scrapeIntervalMs,
  });
  stops.push(() => prometheus.stop());

  const certDir = join(folder, "adapter");
  const adapterKubeconfig = kubeconfigFor("metrics-adapter");
  const adapter = await startPlimsoll("metrics-adapter", [
    `--config=${options.rules}`,
    `--prometheus-url=${prometheus.url}`,
    `--lister-kubeconfig=${adapterKubeconfig}`,
    `--authentication-kubeconfig=${adapterKubeconfig}`,
    `--authorization-kubeconfig=${adapterKubeconfig}`,
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    `--cert-dir=${certDir}`,
    `--self-signed-cert-hosts=${ADAPTER_SERVER_NAME}`,
    ...(options.adapterArgs ?? []),
  ]);
  stops.push(() => adapter.stop());
  const caPem = readFileSync(join(certDir, "ca.crt"), "utf8");
  await applyManifests({ client, mapper }, registration({ port: adapter.port, caPem }));

  return {
    address,
    store: sandbox.store,
    client,
    mapper,
    load,
    prometheus,
    adapter,
    kubeconfig,
    kubeconfigFor,
    apply,
    stop,
  };
}
