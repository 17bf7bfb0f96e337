// Scales of targets: from watches where those are current, with what our own writes and reads returned.
import type { Clock } from "@plimsoll/component-base";
import { type LabelSelector, labelSelector } from "@plimsoll/core/selector";
import {
  createMutationCache,
  type KubeObject,
  type MutationCache,
  type ResourceInfo,
  type Scale,
} from "@plimsoll/kube";

/** Scales of the built-in kinds, kept by watches instead of one request per evaluation. */
export type TargetCache = ReturnType<typeof createTargetCache>;

/** What is kept of an object that can be scaled. */
export interface Workload extends KubeObject {
  readonly replicas: number;
  readonly statusReplicas: number;
  readonly selector: string;
}

/** A resource kept up to date. */
export interface WorkloadWatch {
  readonly isSynced: boolean;
  /** When the server last sent something about the resource, by the wall clock. */
  readonly lastContactMs: number | undefined;
  /** The last list or watch failed. */
  readonly isFailing: boolean;
  get(namespace: string, name: string): Workload | undefined;
  onDeleted(listener: (namespace: string, name: string) => void): void;
  start(): void;
  stop(): Promise<void>;
}

export interface TargetCacheOptions {
  readonly clock: Clock;
  /** Undefined: every scale is read from the server, and only the order of what it returns is saved. */
  readonly watchOf: ((resource: ResourceInfo) => WorkloadWatch) | undefined;
  /** Age above which a watch that fails is not used. */
  readonly maxAgeMs: number;
}

const watchedKinds = new Set([
  "apps/Deployment",
  "apps/StatefulSet",
  "apps/ReplicaSet",
  "/ReplicationController",
]);

/** Whether `warm` has an effect for the kind. */
export function isWatchedKind({ group, kind }: Pick<ResourceInfo, "group" | "kind">): boolean {
  return watchedKinds.has(`${group}/${kind}`);
}

/** An open watch sends a bookmark once a minute, and after 90 s without one it is closed and fails. */
const maxSilenceMs = 120_000;

interface State extends TargetCacheOptions {
  readonly watches: Map<string, WorkloadWatch>;
  readonly versions: MutationCache<Pick<Scale, "metadata">>;
}

export function createTargetCache(options: TargetCacheOptions) {
  const versions = createMutationCache<Pick<Scale, "metadata">>({ clock: options.clock });
  const state: State = { ...options, watches: new Map(), versions };
  return {
    /** Undefined when only the server knows: the kind is not watched, or the watch is behind. */
    scaleOf(info: ResourceInfo, namespace: string, name: string): Scale | undefined {
      const watch = watchOf(state, info);
      const workload =
        watch !== undefined && isCurrent(watch, options) ? watch.get(namespace, name) : undefined;
      if (workload === undefined || versions.isBehind(keyOf(info, namespace, name), workload))
        return undefined;
      return scaleFrom(workload);
    },
    /** Watches the resource from now on, if it is one that is watched: its first scale need not be read then. */
    warm: (info: ResourceInfo) => void watchOf(state, info),
    /**
     * Saves what a write or a read returned: until the watch shows it, the watch is not used. False when a newer version
     * is saved already: then this one must not be acted on.
     */
    seen(info: ResourceInfo, { metadata }: Scale): boolean {
      const { namespace = "", name, resourceVersion, uid } = metadata;
      const identity = {
        name,
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
      return versions.put(keyOf(info, namespace, name), { metadata: identity });
    },
    /** A write has an unknown outcome. */
    doubt: (info: ResourceInfo, namespace: string, name: string) =>
      versions.putUncertain(keyOf(info, namespace, name)),
    async stop(): Promise<void> {
      await Promise.all([...state.watches.values()].map((watch) => watch.stop()));
    },
    /** Objects that save a write or a read. */
    get saved() {
      return versions.entries.size;
    },
  };
}

/** A kind is watched once an object of it is a target, or may be one. */
function watchOf(state: State, info: ResourceInfo): WorkloadWatch | undefined {
  const kind = `${info.group}/${info.resource}`;
  if (state.watchOf === undefined || !isWatchedKind(info)) return undefined;
  const known = state.watches.get(kind);
  if (known !== undefined) return known;
  const watch = state.watchOf(info);
  watch.onDeleted((namespace, name) => state.versions.drop(keyOf(info, namespace, name)));
  state.watches.set(kind, watch);
  watch.start();
  return watch;
}

function isCurrent(
  { isSynced, isFailing, lastContactMs }: WorkloadWatch,
  { clock, maxAgeMs }: TargetCacheOptions,
): boolean {
  if (!isSynced || lastContactMs === undefined) return false;
  const ageMs = clock.nowMs() - lastContactMs;
  // An age below zero comes from a clock that was set back.
  return ageMs >= 0 && ageMs <= (isFailing ? maxAgeMs : maxSilenceMs);
}

function keyOf(info: ResourceInfo, namespace: string, name: string): string {
  return `${info.group}/${info.resource}/${namespace}/${name}`;
}

export function projectWorkload(raw: KubeObject): Workload {
  const { spec, status } = raw as KubeObject & {
    readonly spec?: { readonly replicas?: number; readonly selector?: unknown };
    readonly status?: { readonly replicas?: number };
  };
  const { name, namespace, uid, resourceVersion, creationTimestamp } = raw.metadata;
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    replicas: spec?.replicas ?? 1,
    statusReplicas: status?.replicas ?? 0,
    selector: selectorText(spec?.selector),
  };
}

/** A ReplicationController's selector is the bare labels. */
function selectorText(selector: unknown): string {
  if (typeof selector !== "object" || selector === null) return "";
  const isWrapped = "matchLabels" in selector || "matchExpressions" in selector;
  const wrapped = isWrapped
    ? (selector as LabelSelector)
    : { matchLabels: selector as Readonly<Record<string, string>> };
  return labelSelector(wrapped).toString();
}

function scaleFrom({ metadata, replicas, statusReplicas, selector }: Workload): Scale {
  return {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata,
    spec: { replicas },
    status: { replicas: statusReplicas, selector },
  };
}
