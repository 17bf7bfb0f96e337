import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, createRestMapper, type KubeClient, type RestMapper } from "@plimsoll/kube";
import { createSandbox, type ObjectStore, type SandboxAddress, type SandboxOptions } from "@plimsoll/sandbox";
import { applyManifests, parseManifests } from "./apply.ts";
import { type Pipeline, type PipelineOptions, startPipeline } from "./pipeline.ts";

/** A cluster with load, a Prometheus that watches it, and the adapter as its metrics API. */
export interface Stack extends Pipeline {
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
  stop(): Promise<void>;
}

export interface StackOptions extends PipelineOptions {
  /** Manifests that must be there before the adapter is. */
  readonly workloads: string;
  readonly sandbox?: SandboxOptions;
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
  const sandbox = createSandbox(options.sandbox);
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

  const pipeline = await startPipeline(
    options,
    { client, mapper, store: sandbox.store, adapterKubeconfig: kubeconfigFor("metrics-adapter") },
    stops,
  );

  return {
    address,
    store: sandbox.store,
    client,
    mapper,
    ...pipeline,
    kubeconfig,
    kubeconfigFor,
    apply,
    async restartApiServer(downMs) {
      await sandbox.stop();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      await sandbox.start();
    },
    stop,
  };
}
