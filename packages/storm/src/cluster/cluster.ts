// The simulated cluster: an API server, its store, and the workloads in it.
import type { StoreEvent, VersionedStore } from "@plimsoll/sandbox";
import type { Server } from "../network/network.ts";

/** One change of the store, and who made it: the caller of the request, or "cluster" for the cluster's own controllers. */
export interface ClusterWrite {
  readonly writer: string;
  readonly event: StoreEvent;
}

export interface Cluster {
  readonly store: VersionedStore;
  /** Serves the Kubernetes API; metrics APIs go to the server that `serveMetrics` named, or are 503 without one. */
  readonly server: Server;
  serveMetrics(server: Server | undefined): void;
  /** Called within each change of the store. */
  subscribe(listener: (write: ClusterWrite) => void): void;
  /** Writes to the store directly, as an actor: no admission, but versions and watches as ever. */
  as<T>(writer: string, write: (store: VersionedStore) => T): T;
  /** etcd restored from a backup: objects and versions as they were at that moment, watches cut. */
  restore(toMs: number): void;
  /** Forgets the history of changes: watches and lists from older versions are 410. */
  compact(): void;
  /** Reads that allow it (resourceVersion=0, watches) come from an API server that is so far behind; undefined: from the current one. */
  setLag(lagMs: number | undefined): void;
}
