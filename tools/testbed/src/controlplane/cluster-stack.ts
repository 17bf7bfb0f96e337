// Starts a real control plane with load, Prometheus and the adapter.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRestMapper, type RestMapper } from "@plimsoll/kube";
import { applyManifests, parseManifests } from "../stack/apply.ts";
import { type Pipeline, type PipelineOptions, startPipeline } from "../stack/pipeline.ts";
import { type Stops, startWhole } from "../stack/stops.ts";
import { until } from "../stack/until.ts";
import type { ControlPlaneBinaries } from "./binaries.ts";
import { type ClusterStore, followCluster } from "./cluster-store.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { startFakeKubelet } from "./fake-kubelet.ts";

/** A real control plane with simulated pods under load, a Prometheus, and the adapter as its metrics API. */
export interface ClusterStack extends Omit<ControlPlane, "stop" | "kubeconfigFor">, Pipeline {
  readonly mapper: RestMapper;
  readonly store: ClusterStore;
  /** A kubeconfig file for a service account in namespace plimsoll; it has the rights that RBAC gives it. */
  kubeconfigFor(serviceAccount: string): Promise<string>;
  /** A kubeconfig file with a client certificate for any user. */
  kubeconfigForUser(user: string, groups: readonly string[]): Promise<string>;
  /** Brings the objects of YAML texts to the cluster. */
  apply(...manifests: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterStackOptions extends PipelineOptions {
  readonly binaries: ControlPlaneBinaries;
  readonly controllerManager: { readonly args: readonly string[] } | false;
  readonly audit?: boolean;
  /** As the fake kubelet has it. */
  readonly podNetwork?: string | undefined;
  /** The text of manifests that must be there before the adapter is. */
  readonly workloads: string;
  /** Called with what went wrong in the parts that replace kubelets. */
  readonly onError: (error: unknown) => void;
}

const readyDelayMs = 1000;
const terminationMs = 200;

const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: { name: plimsoll }\n";

/** A file of what a cluster is given to run Plimsoll. */
export function deployment(name: string): string {
  return readFileSync(
    fileURLToPath(new URL(`../../../../deploy/kustomize/base/${name}`, import.meta.url)),
    "utf8",
  );
}

/** Starts everything and waits until the metrics APIs are available. What started is stopped when a later part fails. */
export function startClusterStack(options: ClusterStackOptions): Promise<ClusterStack> {
  return startWhole((stops) => assemble(options, stops));
}

async function assemble(options: ClusterStackOptions, stops: Stops): Promise<Omit<ClusterStack, "stop">> {
  const { folder, onError } = options;
  mkdirSync(folder, { recursive: true });
  const { stop, ...plane } = await startControlPlane({ ...options, folder: join(folder, "control-plane") });
  stops.push(stop);
  const { client } = plane;
  const mapper = createRestMapper({ client });
  const apply = async (...manifests: readonly string[]) => {
    for (const text of manifests) await applyManifests({ client, mapper }, parseManifests(text));
  };
  const kubeconfigFor = (account: string) =>
    plane.kubeconfigFor(`system:serviceaccount:plimsoll:${account}`, [
      "system:serviceaccounts",
      "system:serviceaccounts:plimsoll",
    ]);

  const kubelet = await startFakeKubelet({
    client,
    readyDelayMs,
    terminationMs,
    podNetwork: options.podNetwork,
    onError,
  });
  stops.push(() => kubelet.stop());
  await apply(
    namespace,
    deployment("metrics-adapter-rbac.yaml"),
    deployment("autoscaler-rbac.yaml"),
    options.workloads,
  );
  const store = await followCluster(client, onError);
  stops.push(() => store.stop());
  const adapterKubeconfig = await kubeconfigFor("metrics-adapter");
  const pipeline = await startPipeline(options, { client, mapper, store, adapterKubeconfig }, stops);
  await until("the metrics APIs to be available", () => areAvailable(plane), { timeoutMs: 180_000 });
  return {
    ...plane,
    ...pipeline,
    mapper,
    store,
    kubeconfigFor,
    kubeconfigForUser: plane.kubeconfigFor,
    apply,
  };
}

interface ApiServices {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly service?: object };
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

async function areAvailable({ client }: Pick<ControlPlane, "client">): Promise<true | undefined> {
  const { items } = await client.request<ApiServices>({
    path: "/apis/apiregistration.k8s.io/v1/apiservices",
  });
  const isAvailable = (item: ApiServices["items"][number]) =>
    item.status?.conditions?.some(({ type, status }) => type === "Available" && status === "True") === true;
  return items.filter(({ spec }) => spec.service !== undefined).every(isAvailable) ? true : undefined;
}
