import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, createRestMapper, type KubeClient, type RestMapper } from "@plimsoll/kube";
import { createSandbox, type ObjectStore, type SandboxAddress, type SandboxOptions } from "@plimsoll/sandbox";
import { applyManifests, parseManifests } from "./apply.ts";
import { type Pipeline, type PipelineOptions, startPipeline } from "./pipeline.ts";
import { type Stops, startWhole } from "./stops.ts";

/** A cluster in this process, and who may use it. */
export interface SandboxCluster {
  readonly address: SandboxAddress;
  readonly store: ObjectStore;
  readonly client: KubeClient;
  readonly mapper: RestMapper;
  /** The administrator's. */
  readonly kubeconfig: string;
  /** A kubeconfig file for a service account in namespace plimsoll. */
  kubeconfigFor(serviceAccount: string): string;
  /** Brings the objects of a YAML file to the cluster. */
  apply(file: string): Promise<void>;
  /** Ends the API server and the simulated controllers, and starts them again on the same objects after a while. */
  restartApiServer(downMs: number): Promise<void>;
}

export interface SandboxClusterOptions {
  /** For kubeconfig files; it is made when absent. */
  readonly folder: string;
  /** Manifests that are there once it is up. */
  readonly workloads: string;
  readonly sandbox?: SandboxOptions;
  /** Called with the administrator's file as soon as the API server answers, before there are manifests. */
  readonly onServing?: (kubeconfig: string) => void;
}

/** A cluster with load, a Prometheus that watches it, and the adapter as its metrics API. */
export interface Stack extends SandboxCluster, Pipeline {
  stop(): Promise<void>;
}

export interface StackOptions extends PipelineOptions, SandboxClusterOptions {}

/** Starts everything up to and including the adapter. What started is stopped again when a later part fails. */
export function startStack(options: StackOptions): Promise<Stack> {
  return startWhole(async (stops) => {
    const cluster = await startSandboxCluster(options, stops);
    return { ...cluster, ...(await startStackPipeline(options, cluster, stops)) };
  });
}

/** What ends each of its parts is pushed on `stops` as it starts. */
export async function startSandboxCluster(
  options: SandboxClusterOptions,
  stops: Stops,
): Promise<SandboxCluster> {
  const { folder } = options;
  mkdirSync(folder, { recursive: true });
  const sandbox = createSandbox(options.sandbox);
  const address = await sandbox.start();
  stops.push(() => sandbox.stop());
  const kubeconfigFile = (name: string, text: string) => {
    const file = join(folder, `${name}.kubeconfig`);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const kubeconfig = kubeconfigFile("admin", address.kubeconfig);
  options.onServing?.(kubeconfig);
  const kubeconfigFor = (account: string) => {
    if (options.sandbox?.rbac === true) makeAdministrator(sandbox.store, account);
    return kubeconfigFile(
      account,
      address.kubeconfigFor(`system:serviceaccount:plimsoll:${account}`, ["system:serviceaccounts"]),
    );
  };

  const client = await connect({ kubeconfig, userAgent: "plimsoll-e2e" });
  stops.push(() => client.close());
  const mapper = createRestMapper({ client });
  const apply = (file: string) =>
    applyManifests({ client, mapper }, parseManifests(readFileSync(file, "utf8")));
  await apply(options.workloads);
  return {
    address,
    store: sandbox.store,
    client,
    mapper,
    kubeconfig,
    kubeconfigFor,
    apply,
    async restartApiServer(downMs) {
      await sandbox.stop();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      await sandbox.start();
    },
  };
}

const bindings = "clusterrolebindings.rbac.authorization.k8s.io";

/** Our own processes may do everything; other users what roles and bindings allow. */
function makeAdministrator(store: ObjectStore, account: string): void {
  const name = `plimsoll-${account}`;
  if (store.get(bindings, undefined, name) !== undefined) return;
  store.create(bindings, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", namespace: "plimsoll", name: account }],
  });
}

/** Load, Prometheus and the adapter for such a cluster; what ends each of them is pushed on `stops` as it starts. */
export function startStackPipeline(
  options: PipelineOptions,
  { client, mapper, store, kubeconfigFor }: SandboxCluster,
  stops: Stops,
): Promise<Pipeline> {
  const cluster = { client, mapper, store, adapterKubeconfig: kubeconfigFor("metrics-adapter") };
  return startPipeline(options, cluster, stops);
}
