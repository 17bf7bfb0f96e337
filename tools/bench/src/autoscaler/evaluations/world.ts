// The objects of the inline cluster: HPAs on the cpu of Deployments, with their pods, made when they are listed.

/** How many objects there are, and how they are. */
export interface Size {
  readonly objects: number;
  readonly pods: number;
  /** "still": all at their targets. "moving": every value changes, and no replicas. */
  readonly load: string;
  /** Usage keeps its timestamps and values for so long; 0: each response has new ones. */
  readonly resolutionMs: number;
}

const perNamespace = 50;
const nodes = 5000;

interface Lists {
  /** A page of a list as JSON; undefined for a path that is not served. */
  pageOf(path: string, from: string, limit: number): string | undefined;
}

interface Discovered {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
}

const discovered: readonly Discovered[] = [
  { group: "apps", version: "v1", resource: "deployments", kind: "Deployment" },
  {
    group: "autoscaling",
    version: "v2",
    resource: "horizontalpodautoscalers",
    kind: "HorizontalPodAutoscaler",
  },
  { group: "metrics.k8s.io", version: "v1beta1", resource: "pods", kind: "PodMetrics" },
];

export function world({ objects, pods }: Size): Lists {
  const kinds: Readonly<
    Record<string, { readonly total: number; readonly make: (index: number) => object }>
  > = {
    "/api/v1/pods": { total: objects * pods, make: (n) => podOf(Math.floor(n / pods), n % pods) },
    "/apis/apps/v1/deployments": { total: objects, make: (index) => deploymentOf(index, pods) },
    "/apis/autoscaling/v2/horizontalpodautoscalers": { total: objects, make: hpaOf },
    "/apis/autoscaling.plimsoll.dev/v1alpha1/workloadautoscalers": { total: 0, make: hpaOf },
  };
  return {
    pageOf(path, from, limit) {
      if (path === "/api" || path === "/apis") return JSON.stringify(discoveryOf(path));
      const kind = kinds[path];
      if (kind === undefined) return undefined;
      const first = Number(from);
      const end = Math.min(kind.total, limit > 0 ? first + limit : kind.total);
      const items = Array.from({ length: end - first }, (_, n) => kind.make(first + n));
      const next = end < kind.total ? { continue: String(end) } : {};
      return JSON.stringify({ metadata: { resourceVersion: "1000000", ...next }, items });
    },
  };
}

function discoveryOf(path: string): object {
  const groups = path === "/api" ? [] : discovered;
  return {
    kind: "APIGroupDiscoveryList",
    items: groups.map(({ group, version, resource, kind }) => ({
      metadata: { name: group },
      versions: [
        {
          version,
          freshness: "Current",
          resources: [
            {
              resource,
              responseKind: { group, version, kind },
              scope: "Namespaced",
              singularResource: kind.toLowerCase(),
              verbs: ["get", "list", "watch"],
              subresources: resource === "deployments" ? [{ subresource: "scale" }] : [],
            },
          ],
        },
      ],
    })),
  };
}

function namespaceOf(index: number): string {
  return `bench-${Math.floor(index / perNamespace)}`;
}

function uidOf(kind: string, n: number): string {
  return `${kind}0000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
}

function instant(second: number): string {
  return `${new Date(Date.UTC(2025, 0, 1) + second * 1000).toISOString().slice(0, 19)}Z`;
}

function podOf(index: number, n: number): object {
  const name = `w-${index}-5d9c7b8f6d-${String(n).padStart(5, "x")}`;
  return {
    metadata: {
      name,
      namespace: namespaceOf(index),
      uid: uidOf("a", index * 1000 + n),
      resourceVersion: String(100_000 + index * 20 + n),
      labels: { app: `w-${index}`, "pod-template-hash": "5d9c7b8f6d" },
    },
    spec: {
      nodeName: `node-${(index * 15 + n) % nodes}`,
      containers: [{ name: "main", image: "x", resources: { requests: { cpu: "100m", memory: "64Mi" } } }],
    },
    status: {
      phase: "Running",
      startTime: instant(index * 7 + (n % 4)),
      conditions: [
        { type: "Ready", status: "True", lastTransitionTime: instant(index * 7 + (n % 4) + 12 + (n % 3)) },
      ],
    },
  };
}

/** Of a Deployment that is read before the watch has it. */
export function scaleText(name: string, pods: number): string {
  const index = Number(name.slice("w-".length));
  return JSON.stringify({
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: {
      name,
      namespace: namespaceOf(index),
      uid: uidOf("d", index),
      resourceVersion: String(10_000 + index),
    },
    spec: { replicas: pods },
    status: { replicas: pods, selector: `app=${name}` },
  });
}

function deploymentOf(index: number, pods: number): object {
  const labels = { app: `w-${index}` };
  return {
    metadata: {
      name: `w-${index}`,
      namespace: namespaceOf(index),
      uid: uidOf("d", index),
      resourceVersion: String(10_000 + index),
      creationTimestamp: instant(0),
    },
    spec: { replicas: pods, selector: { matchLabels: labels }, template: { metadata: { labels } } },
    status: { replicas: pods, readyReplicas: pods },
  };
}

function hpaOf(index: number): object {
  return {
    metadata: {
      name: `w-${index}`,
      namespace: namespaceOf(index),
      uid: uidOf("e", index),
      resourceVersion: String(10_000 + index),
      creationTimestamp: instant(0),
    },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: `w-${index}` },
      minReplicas: 1,
      maxReplicas: 100,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
        },
      ],
    },
  };
}

/** PodMetrics of a namespace as JSON. */
export function usageText(
  namespace: string,
  { objects, pods, load, resolutionMs }: Size,
  nowMs: number,
): string {
  const first = Number(namespace.slice("bench-".length)) * perNamespace;
  const last = Math.min(objects, first + perNamespace);
  const sampledMs = resolutionMs === 0 ? nowMs : Math.floor(nowMs / resolutionMs) * resolutionMs;
  const timestamp = new Date(sampledMs).toISOString();
  const items: object[] = [];
  for (let index = first; index < last; index++) {
    for (let n = 0; n < pods; n++) {
      items.push({
        metadata: {
          name: `w-${index}-5d9c7b8f6d-${String(n).padStart(5, "x")}`,
          namespace,
          labels: { app: `w-${index}`, "pod-template-hash": "5d9c7b8f6d" },
        },
        timestamp,
        window: "30s",
        containers: [{ name: "main", usage: { cpu: usageOf(load, sampledMs, index), memory: "32Mi" } }],
      });
    }
  }
  return JSON.stringify({
    kind: "PodMetricsList",
    apiVersion: "metrics.k8s.io/v1beta1",
    metadata: {},
    items,
  });
}

/** The target is 50m. */
function usageOf(load: string, sampledMs: number, index: number): string {
  if (load === "still") return "50m";
  return `${48 + ((Math.floor(sampledMs / 1000) + index) % 5)}m`;
}
