// The simulated cluster: an API server, its store, and the workloads in it.
import { cronHpaCrd, workloadAutoscalerCrd } from "@plimsoll/autoscaler/testing";
import type { Clock } from "@plimsoll/component-base";
import {
  createInProcessSandbox,
  type InProcessSandbox,
  type StoredObject,
  type StoreEvent,
  type VersionedStore,
  type WatchCache,
  type WorkloadOptions,
} from "@plimsoll/sandbox";
import type { Server, ServerRequest, ServerResponse } from "../network/server.ts";
import type { Random } from "../random/random.ts";
import type { VirtualTime } from "../time/virtual-time.ts";
import { type ApiServerName, createApiServers, type Route } from "./api-servers.ts";
import { createJournal } from "./journal.ts";
import { isMetricsRequest, metricsGroupVersions, metricsUnavailable } from "./metrics-groups.ts";
import { createNames } from "./names.ts";
import { createWatches, type Watches } from "./watches.ts";

/** The writer of what the cluster's own controllers write. */
export const clusterWriter = "cluster";

/** One change of the store, and who made it: the caller of the request, or "cluster" for the cluster's own controllers. */
export interface ClusterWrite {
  readonly writer: string;
  /** When the request left its process; absent for what no process sent. */
  readonly sentAtMs?: number | undefined;
  readonly event: StoreEvent;
}

export interface Cluster {
  readonly store: VersionedStore;
  /** Serves the Kubernetes API; metrics APIs go to the server that `serveMetrics` named, or are 503 without one. */
  readonly server: Server;
  serveMetrics(server: Server | undefined): void;
  /** Called within each change of the store, in the order of the changes. */
  subscribe(listener: (write: ClusterWrite) => void): void;
  /** Called after each restore, which undoes changes without a write. */
  onRestore(listener: () => void): void;
  /** Writes to the store directly, as an actor: no admission, but versions and watches as ever. */
  as<T>(writer: string, write: (store: VersionedStore) => T): T;
  /**
   * Applies an object as a user does with kubectl, with defaults and validation; one that is there is replaced, and keeps
   * its status.
   * @throws RefusedError
   */
  apply(writer: string, object: ApplicableObject): void;
  /**
   * etcd restored from a backup: objects and versions as they were at that moment, watches cut. There is no backup from
   * before the cluster was made, nor an older one than of an hour ago.
   */
  restore(toMs: number): void;
  /** Forgets the history of changes: watches and lists from older versions are 410. */
  compact(): void;
  /**
   * One of the two API servers, the first by default, is so far behind in what it reads for itself (resourceVersion=0,
   * watches); of several lags the longest counts. All else reads and writes the store. Returns what removes it.
   */
  addLag(lagMs: number, server?: ApiServerName): () => void;
  /** Requests reach the first API server, or the one that a route names. Returns what removes the route. */
  addRoute(route: Route): () => void;
}

/** The API server refused an object. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** An object with its type. */
export type ApplicableObject = StoredObject & { readonly apiVersion: string; readonly kind: string };

export interface ClusterOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  /** How long the simulated kubelets take. */
  readonly workloads?: WorkloadOptions;
  /** Definitions beside those that are always there. */
  readonly definitions?: readonly ApplicableObject[];
}

/** A cluster as new, in which the definitions of this project are installed, and its controllers run. */
export function createCluster({ time, random, workloads = {}, definitions = [] }: ClusterOptions): Cluster {
  const clock: Clock = { nowMs: () => time.nowMs, after: (delayMs, run) => time.after(delayMs, run) };
  const journal = createJournal(time);
  const listeners: ((write: ClusterWrite) => void)[] = [];
  const restoreListeners: (() => void)[] = [];
  const watches = createWatches();
  const createdMs = time.nowMs;
  const names = createNames(random);
  let metrics: Server | undefined;
  /** Of the request that is carried out. */
  let sentAtMs: number | undefined;

  const sandbox = createInProcessSandbox({
    clock,
    workloads,
    ...names,
    groupVersions: () => metricsGroupVersions(metrics !== undefined),
    onChange(event, writer = clusterWriter) {
      journal.add(event);
      for (const listener of listeners) listener({ writer, sentAtMs, event });
    },
  });
  const { store } = sandbox;
  const servers = createApiServers(store, time);
  sandbox.start();
  for (const definition of [workloadAutoscalerCrd, cronHpaCrd, ...definitions])
    applyObject(sandbox, clusterWriter, definition);

  return {
    store,
    server(request) {
      if (isMetricsRequest(request.path)) return metrics?.(asRemote(request)) ?? metricsUnavailable;
      sentAtMs = request.sentAtMs;
      try {
        return serve(sandbox, { wrap: watches.wrap, cache: servers.cacheFor(request) }, request);
      } finally {
        sentAtMs = undefined;
      }
    },
    serveMetrics: (server) => (metrics = server),
    subscribe: (listener) => void listeners.push(listener),
    onRestore: (listener) => void restoreListeners.push(listener),
    as: (writer, write) => sandbox.as(writer, () => write(store)),
    apply: (writer, object) => applyObject(sandbox, writer, object),
    restore(toMs) {
      sandbox.stop();
      watches.cut();
      store.rewind(journal.takeAfter(Math.max(toMs, createdMs)));
      servers.reset();
      for (const listener of restoreListeners) listener();
      sandbox.start();
    },
    compact: () => store.compact(),
    addLag: (lagMs, server = "first") => servers.addLag(lagMs, server),
    addRoute: servers.addRoute,
  };
}

function serve(
  sandbox: InProcessSandbox,
  { wrap, cache }: Pick<Watches, "wrap"> & { readonly cache: WatchCache },
  { method, path, query, headers, body = "", caller }: ServerRequest,
): ServerResponse {
  const rendered = sandbox.handle({ method, path, query, headers, body, user: caller, cache });
  if ("run" in rendered) return { code: 200, stream: wrap(rendered.run) };
  const retryAfter = rendered.headers["retry-after"];
  return {
    code: rendered.code,
    body: String(rendered.body),
    ...(typeof retryAfter === "string" ? { headers: { "retry-after": retryAfter } } : {}),
  };
}

/** As the aggregation layer passes a request on: the server behind it trusts these headers. */
function asRemote(request: ServerRequest): ServerRequest {
  const remote = { "x-remote-user": request.caller, "x-remote-group": "system:authenticated" };
  return { ...request, headers: { ...request.headers, ...remote } };
}

function applyObject(sandbox: InProcessSandbox, writer: string, object: ApplicableObject): void {
  const { collection, object: path } = sandbox.pathsOf(object);
  const request = {
    query: new URLSearchParams(),
    headers: { "user-agent": writer },
    body: JSON.stringify(object),
    user: writer,
  };
  const created = sandbox.handle({ ...request, method: "POST", path: collection });
  const last = created.code === 409 ? sandbox.handle({ ...request, method: "PUT", path }) : created;
  if (last.code >= 300) throw new RefusedError("body" in last ? String(last.body) : path);
}
