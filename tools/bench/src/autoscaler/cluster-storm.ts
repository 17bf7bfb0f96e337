// What the benchmark's API server does for a relist and for a storm of scales.
import type { Sandbox } from "@plimsoll/sandbox";

/** What has arrived of a storm in which each object scales once. */
export interface StormState {
  /** HPAs whose status wants so many replicas. */
  readonly statuses: number;
  /** Event objects about a rescale, and how many rescales they represent by their own counts. */
  readonly events: number;
  readonly counted: number;
}

/** Ends all connections, and no watch can be resumed: each is listed again, as after a compaction of etcd. */
export async function forceRelists(sandbox: Sandbox): Promise<void> {
  await sandbox.stop();
  const metadata = { name: "newer", namespace: "bench" };
  if (sandbox.store.get("configmaps", "bench", "newer") !== undefined)
    sandbox.store.delete("configmaps", "bench", "newer");
  sandbox.store.create("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata });
  sandbox.store.compact();
  await sandbox.start();
}

export function stormState({ store }: Sandbox, replicas: number): StormState {
  const hpas = store.list("horizontalpodautoscalers.autoscaling") as readonly {
    readonly status?: { readonly desiredReplicas?: number };
  }[];
  const events = (store.list("events") as readonly StoredEvent[]).filter(
    ({ reason }) => reason === "SuccessfulRescale",
  );
  return {
    statuses: hpas.filter(({ status }) => status?.desiredReplicas === replicas).length,
    events: events.length,
    counted: events.reduce((sum, event) => sum + countOf(event), 0),
  };
}

interface StoredEvent {
  readonly reason?: string;
  readonly count?: number;
  readonly deprecatedCount?: number;
  readonly series?: { readonly count?: number };
}

function countOf({ count, deprecatedCount, series }: StoredEvent): number {
  return series?.count ?? count ?? deprecatedCount ?? 1;
}
