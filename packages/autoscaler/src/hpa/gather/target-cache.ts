import {
  type Clock,
  type KubeClient,
  type KubeObject,
  type LabelSelector,
  labelSelector,
  type ResourceInfo,
  type Scale,
} from "@plimsoll/kube";
import { createWatch, type Watch } from "../../watch.ts";
import { isOlder } from "../native-hpa.ts";

/** Scales of the built-in kinds, kept by watches instead of one request per evaluation. */
export interface TargetCache {
  /** Undefined when in doubt: ask the server then. */
  scaleOf(info: ResourceInfo, namespace: string, name: string): Scale | undefined;
  /**
   * The state that the server gave us, by a write or a read: until the watch has caught up, the cache is not asked.
   * False when this state is older than one that is known: it must not be acted on.
   */
  seen(info: ResourceInfo, scale: Scale): boolean;
  /** A write whose outcome is not known. */
  doubt(info: ResourceInfo, namespace: string, name: string): void;
  stop(): Promise<void>;
}

interface Workload extends KubeObject {
  readonly replicas: number;
  readonly statusReplicas: number;
  readonly selector: string;
}

const watched = new Set([
  "apps/deployments",
  "apps/statefulsets",
  "apps/replicasets",
  "/replicationcontrollers",
]);

const longestLagMs = 300_000;

/** Without watching every scale is read from the server, and only the order of what it says is kept. */
export function createTargetCache(o: {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: (() => number) | undefined;
  readonly namespaces: readonly string[];
  readonly isWatching: boolean;
  readonly onError: (resource: string, error: unknown) => void;
}): TargetCache {
  const watches = new Map<string, Watch<Workload>>();
  /** The least state that may be acted on; without a version only the server can tell. */
  const least = new Map<
    string,
    { readonly version: string | undefined; readonly uid: string; readonly atMs: number }
  >();

  return {
    scaleOf(info, namespace, name) {
      const watch = watchOf(info);
      const workload = watch?.isSynced === true ? watch.get(namespace, name) : undefined;
      if (workload === undefined) return undefined;
      const key = keyOf(info, namespace, name);
      const wanted = least.get(key);
      if (wanted !== undefined) {
        const { version, uid } = wanted;
        const isSame = uid === (workload.metadata.uid ?? "");
        if (version === undefined || (isSame && isOlder(workload.metadata.resourceVersion, version)))
          return undefined;
      }
      least.delete(key);
      return scaleFrom(workload);
    },
    seen(info, scale) {
      const { namespace = "", name, resourceVersion, uid = "" } = scale.metadata;
      if (resourceVersion === undefined) return true;
      const key = keyOf(info, namespace, name);
      const known = least.get(key);
      const nowMs = o.clock.nowMs();
      // Versions that stay behind for long are those of a restored backup, and no lagging server's.
      const counts = known?.uid === uid && nowMs - known.atMs < longestLagMs;
      if (counts && isOlder(resourceVersion, known.version)) return false;
      least.set(key, { version: resourceVersion, uid, atMs: nowMs });
      return true;
    },
    doubt(info, namespace, name) {
      least.set(keyOf(info, namespace, name), { version: undefined, uid: "", atMs: o.clock.nowMs() });
    },
    async stop() {
      await Promise.all([...watches.values()].map((watch) => watch.stop()));
    },
  };

  /** A kind is watched once an object of it is a target. */
  function watchOf(info: ResourceInfo): Watch<Workload> | undefined {
    const kind = `${info.group}/${info.resource}`;
    if (!o.isWatching || !watched.has(kind)) return undefined;
    const known = watches.get(kind);
    if (known !== undefined) return known;
    let last: string | undefined;
    const watch = createWatch<Workload>({
      client: o.client,
      clock: o.clock,
      random: o.random,
      namespaces: o.namespaces,
      resource: info,
      project: projectWorkload,
      onError(error) {
        // Where it may not be listed, the same failure comes again and again, and scales are read one by one.
        const text = String(error);
        if (text !== last) o.onError(info.resource, error);
        last = text;
      },
    });
    watches.set(kind, watch);
    watch.start();
    return watch;
  }
}

function keyOf(info: ResourceInfo, namespace: string, name: string): string {
  return `${info.group}/${info.resource}/${namespace}/${name}`;
}

function projectWorkload(raw: KubeObject): Workload {
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
