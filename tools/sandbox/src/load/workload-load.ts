// A load on a workload, as users define it.
import type { LoadPoint } from "./schedule.ts";

/**
 * What a load is measured in: packets and requests per second, entries of a queue, cores, bytes; any other name
 * is a rate that is reported as NAME_total and NAME_per_second.
 */
export type LoadMetric = "packets" | "requests" | "queue" | "cpu" | "memory" | (string & {});

export interface WorkloadName {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
}

/**
 * A total demand on one object. A Deployment, ReplicaSet, StatefulSet, ReplicationController or Pod shares it out
 * evenly over its Ready pods; any other kind (Ingress, Queue) reports it as one series of its own.
 */
export interface WorkloadLoad extends WorkloadName {
  readonly metric: LoadMetric;
  readonly points: readonly LoadPoint[];
  /** For kinds without pods: report the total divided by the Ready pods of this workload. */
  readonly perReadyPodOf?: WorkloadName;
  /** Which container burns cpu or holds memory; the first one by default. */
  readonly container?: string;
  /** Further labels of the series, for kinds without pods. */
  readonly labels?: Readonly<Record<string, string>>;
}

const podOwningKinds: ReadonlySet<string> = new Set([
  "Deployment",
  "ReplicaSet",
  "StatefulSet",
  "ReplicationController",
  "DaemonSet",
  "Job",
  "Pod",
]);

export function hasPods(kind: string): boolean {
  return podOwningKinds.has(kind);
}

export function workloadKey({ namespace, kind, name }: WorkloadName): string {
  return `${kind}/${namespace}/${name}`;
}
