import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRestMapper } from "@plimsoll/kube";
import type { LoadModel, WorkloadLoad } from "@plimsoll/sandbox";
import {
  applyManifests,
  type ClusterStore,
  type ControlPlane,
  type Ending,
  followCluster,
  isOurs,
  type Kubectl,
  node,
  type PodImages,
  parseManifests,
  prometheusProgram,
  runToEnd,
  type Stops,
  startControlPlane,
  startFakeKubelet,
  startObservedLoad,
  startProcessKubelet,
  startServiceProxy,
  startWhole,
  workloadControllers,
} from "@plimsoll/testbed";
import { inject } from "vitest";
import { stringify } from "yaml";
import { realKubectl } from "./fixture.ts";
import { ownNetwork } from "./own-network.ts";
import { openPage, type Page } from "./page.ts";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
export const chart = join(root, "deploy/chart/plimsoll");

/** A cluster as an operator finds it: nothing of ours is in it, and what is installed runs. */
export interface OperatorsCluster extends Pick<ControlPlane, "client" | "startControllerManager"> {
  readonly kubectl: Kubectl;
  readonly store: ClusterStore;
  readonly load: LoadModel;
  readonly prometheusUrl: string;
  readonly kubeconfig: string;
  /** A folder for whatever a test leaves behind. */
  readonly folder: string;
  readonly troubles: readonly unknown[];
  logs(): ReadonlyMap<string, readonly string[]>;
  apply(manifests: string): Promise<void>;
  helm(...args: readonly string[]): Promise<Ending>;
  /** Where Helm keeps what it keeps. */
  readonly helmEnvironment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Pods of our images, or of those in the options, are processes, Services lead to them; all other pods are simulated. */
export function operatorsCluster(options: {
  readonly workloads: string;
  readonly loads: readonly WorkloadLoad[];
  /** What runs as the images of pods; by default our programs do, from their sources. */
  readonly images?: PodImages;
}): Promise<OperatorsCluster> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-operator-"));
  return startWhole(async (stops) => {
    stops.push(() => rmSync(folder, { recursive: true, force: true }));
    return { ...(await assemble(options, folder, stops)), folder };
  });
}

async function assemble(
  options: Parameters<typeof operatorsCluster>[0],
  folder: string,
  stops: Stops,
): Promise<Omit<OperatorsCluster, "folder" | "stop">> {
  const [services, pods] = [await ownNetwork(100, 170), await ownNetwork(170, 250)];
  for (const network of [services, pods]) stops.push(() => network.release());
  const plane = await startControlPlane({
    folder: join(folder, "control-plane"),
    binaries: inject("binaries"),
    controllerManager: {
      args: [`--controllers=${[...workloadControllers, "endpointslice-controller"].join(",")}`],
    },
    serviceRange: `127.${services.number}.0.0/16`,
  });
  stops.push(() => plane.stop());
  const { client, address } = plane;
  const troubles: unknown[] = [];
  const onError = (error: unknown) => {
    troubles.push(error);
  };
  const fake = await startFakeKubelet({
    client,
    readyDelayMs: 500,
    terminationMs: 200,
    leaves: (pod) => isOurs(pod, options.images),
    onError,
  });
  stops.push(() => fake.stop());
  const proxy = await startServiceProxy(client, onError);
  stops.push(() => proxy.stop());
  const kubelet = await startProcessKubelet({
    client,
    server: address,
    folder: join(folder, "pods"),
    network: pods.number,
    node,
    ...(options.images === undefined ? {} : { images: options.images }),
    onError,
  });
  stops.push(() => kubelet.stop());
  const mapper = createRestMapper({ client });
  const apply = (manifests: string) => applyManifests({ client, mapper }, parseManifests(manifests));
  await apply(options.workloads);
  const store = await followCluster(client, onError);
  stops.push(() => store.stop());
  const { load, prometheus } = await startObservedLoad(
    { folder, prometheus: prometheusProgram(), scrapeIntervalMs: 250, loads: options.loads },
    store,
    stops,
  );
  const home = join(folder, "helm");
  mkdirSync(home);
  const helmEnvironment = {
    HELM_CACHE_HOME: join(home, "cache"),
    HELM_CONFIG_HOME: join(home, "config"),
    HELM_DATA_HOME: join(home, "data"),
  };
  return {
    client,
    startControllerManager: plane.startControllerManager,
    kubeconfig: plane.kubeconfig,
    kubectl: realKubectl(plane.kubeconfig),
    store,
    load,
    prometheusUrl: prometheus.url,
    troubles,
    logs: kubelet.logs,
    apply,
    helmEnvironment,
    helm: (...args) =>
      runToEnd(inject("deployTools").helm, args, { ...helmEnvironment, KUBECONFIG: plane.kubeconfig }),
  };
}

/** What a helm that succeeded printed. @throws with what it printed otherwise */
export function succeeded({ code, stdout, stderr }: Ending): string {
  if (code !== 0) throw new Error(`ended with exit code ${code}:\n${stdout}\n${stderr}`);
  return stdout;
}

/** Values that let processes of one machine act as pods: each listens on an address of its own. */
export function onThisMachine(prometheusUrl: string) {
  const { protocol, hostname, port } = new URL(prometheusUrl);
  const process = {
    env: [{ name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
    extraArguments: ["--bind-address=$(POD_IP)"],
  };
  return {
    prometheus: { url: `${protocol}//${hostname}`, port: Number(port) },
    // Below 1024 is for root.
    adapter: { ...process, service: { port: 8443 }, metricsRelistInterval: "1s", metricsMaxAge: "10s" },
    autoscaler: process,
  };
}

/** A page whose commands are those of an operator, with the rest of a checkout beside them. */
export function openOperatorsPage(name: string, cluster: OperatorsCluster): Page {
  const machine = join(cluster.folder, "machine.yaml");
  writeFileSync(machine, stringify(onThisMachine(cluster.prometheusUrl)));
  const helm = join(cluster.folder, "helm.sh");
  const exports = Object.entries(cluster.helmEnvironment).map(([key, value]) => `export ${key}="${value}"`);
  writeFileSync(
    helm,
    `#!/bin/sh
${exports.join("\n")}
case "$1" in
install | upgrade) exec "${inject("deployTools").helm}" "$@" -f "${machine}" ;;
esac
exec "${inject("deployTools").helm}" "$@"
`,
    { mode: 0o755 },
  );
  const page = openPage(name, { kubeconfig: () => cluster.kubeconfig, programs: { helm: `"${helm}"` } });
  symlinkSync(join(root, "deploy"), join(page.desk, "deploy"));
  return page;
}
