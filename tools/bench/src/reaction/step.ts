// One step in the load of a workload, and what both sides have of it.
import type { ObjectStore } from "@plimsoll/sandbox";
import { until } from "@plimsoll/testbed";
import type { PodPages } from "./pages.ts";

export interface Setup {
  readonly names: readonly string[];
  readonly pods: number;
  /** Requests per second that one replica is meant for. */
  readonly perReplica: number;
  readonly folder: string;
}

type Store = Pick<ObjectStore, "get">;

/** A step to twice the load, at any moment within this time. @returns how long the replicas took to follow */
export async function stepOf(step: {
  readonly store: Store;
  readonly pages: PodPages;
  readonly name: string;
  readonly pods: number;
  readonly perReplica: number;
  readonly withinMs: number;
}): Promise<number> {
  const { store, pages, name, pods, perReplica, withinMs } = step;
  await new Promise((resolve) => setTimeout(resolve, Math.random() * withinMs));
  const stepMs = Date.now();
  pages.load(name, 2 * pods * perReplica);
  const wroteMs = await until(
    `${name} to be scaled`,
    () => Promise.resolve(replicasOf(store, name) > pods ? Date.now() : undefined),
    { everyMs: 10, timeoutMs: 300_000 },
  );
  pages.load(name, pods * perReplica);
  return wroteMs - stepMs;
}

function replicasOf(store: Store, name: string): number {
  const deployment = store.get("deployments.apps", "default", name) as
    | { readonly spec?: { readonly replicas?: number } }
    | undefined;
  return deployment?.spec?.replicas ?? 0;
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** Its metric has a value. */
export function isActive(
  { store, resource }: { readonly store: Store; readonly resource: string },
  name: string,
): boolean {
  const { status } = (store.get(resource, "default", name) ?? {}) as Conditioned;
  return status?.conditions?.some((one) => one.type === "ScalingActive" && one.status === "True") === true;
}

export const deploymentOf = (name: string, { pods }: Setup, port: number) => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: default }
spec:
  replicas: ${pods}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "registry.example/main:1", ports: [{ name: metrics, containerPort: ${port} }] }] }
`;
