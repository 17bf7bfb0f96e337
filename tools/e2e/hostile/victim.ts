import type { StoredObject, VersionedStore } from "@plimsoll/sandbox";
import type { Series } from "./exposition.ts";
import { victimAddress } from "./pod-addresses.ts";

export const victim = "victim";
export const tenant = "hostile";

/** Between two evaluations. */
export const periodMs = 2000;
/** Between two runs of the victim's cron jobs. */
export const cronMs = 5000;

const apps = ["web", "api", "jobs", "night", "live"] as const;
const podsEach = 3;

const podName = (app: string, index: number) => `${app}-${index}`;
const indexes = Array.from({ length: podsEach }, (_, index) => index);

/** Values that never change, so that whatever differs is wrong. */
export const victimSeries: readonly Series[] = [
  ...apps.flatMap((app) =>
    indexes.flatMap((index) => {
      const labels = { namespace: victim, pod: podName(app, index) };
      return [
        { metric: "victim_load", labels, value: "10" },
        { metric: "container_cpu_usage_cores", labels: { ...labels, container: "app" }, value: "0.1" },
        { metric: "container_memory_bytes", labels: { ...labels, container: "app" }, value: "1048576" },
      ];
    }),
  ),
  { metric: "victim_total", labels: { namespace: victim }, value: "120" },
  { metric: "queue_depth", labels: { namespace: victim, queue: "orders" }, value: "24" },
];

export const rules = `rules:
  - seriesQuery: '{__name__=~"^(victim|hostile)_.*",namespace!=""}'
    resources: { template: "<<.Resource>>" }
    metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)
externalRules:
  - seriesQuery: '{__name__=~"^(queue|hostile)_.*",namespace!=""}'
    resources: { overrides: { namespace: { resource: namespace } } }
    metricsQuery: max(<<.Series>>{<<.LabelMatchers>>}) by (queue)
resourceRules:
  cpu:
    containerQuery: sum(container_cpu_usage_cores{<<.LabelMatchers>>}) by (<<.GroupBy>>)
    nodeQuery: sum(node_cpu_usage_cores{<<.LabelMatchers>>}) by (<<.GroupBy>>)
    resources: { overrides: { namespace: { resource: namespace }, node: { resource: node }, pod: { resource: pod } } }
    containerLabel: container
  memory:
    containerQuery: sum(container_memory_bytes{<<.LabelMatchers>>}) by (<<.GroupBy>>)
    nodeQuery: sum(node_memory_bytes{<<.LabelMatchers>>}) by (<<.GroupBy>>)
    resources: { overrides: { namespace: { resource: namespace }, node: { resource: node }, pod: { resource: pod } } }
    containerLabel: container
  window: 2s
`;

/** A request of the victim, {n} being another number each time, and what its response comes down to (see probe.ts). */
export interface VictimRequest {
  readonly path: string;
  /** "clock": the time at which the pods were read, in seconds. */
  readonly expected: string;
}

const ofPods = (value: string) => indexes.map((index) => `${podName("web", index)}=${value}`).join(" ");

export const victimRequests: readonly VictimRequest[] = [
  {
    path: `/apis/custom.metrics.k8s.io/v1beta2/namespaces/${victim}/pods/*/victim_load?labelSelector=app%3Dweb`,
    expected: ofPods("10"),
  },
  // Each is another query, so that no cache answers it.
  {
    path: `/apis/custom.metrics.k8s.io/v1beta1/namespaces/${victim}/metrics/victim_total?metricLabelSelector=n%21%3D{n}`,
    expected: `${victim}=120`,
  },
  {
    path: `/apis/external.metrics.k8s.io/v1beta1/namespaces/${victim}/queue_depth?labelSelector=queue%3Dorders`,
    expected: "orders=24",
  },
  {
    path: `/apis/external.metrics.k8s.io/v1beta1/namespaces/${victim}/own_depth`,
    expected: "orders=24",
  },
  {
    path: `/apis/metrics.k8s.io/v1beta1/namespaces/${victim}/pods?labelSelector=app%3Dweb`,
    expected: ofPods("100m"),
  },
  {
    path: `/apis/custom.metrics.k8s.io/v1beta2/namespaces/${victim}/pods/*/live_load?labelSelector=app%3Dweb`,
    expected: ofPods("10"),
  },
  { path: `/apis/external.metrics.k8s.io/v1beta1/namespaces/${victim}/live_clock`, expected: "clock" },
];

/** An object of the victim, and the count that every decision about it must want. */
export interface VictimObject {
  readonly resource: "horizontalpodautoscalers" | "workloadautoscalers";
  readonly name: string;
  readonly replicas: number;
}

export const victimObjects: readonly VictimObject[] = [
  { resource: "horizontalpodautoscalers", name: "web", replicas: 3 },
  { resource: "horizontalpodautoscalers", name: "api", replicas: 3 },
  { resource: "workloadautoscalers", name: "jobs", replicas: 5 },
  { resource: "workloadautoscalers", name: "live", replicas: 3 },
];

/** Puts the victim's objects into the cluster; the Deployment `night` is that of the cron jobs. */
export function createVictim(store: VersionedStore, port: number): void {
  for (const name of [victim, tenant, "plimsoll"])
    store.create("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  for (const app of apps) createWorkload(store, victim, app, port);
  createWorkload(store, tenant, "target", port);
  const metadata = (name: string) => ({ name, namespace: victim });
  const target = (name: string) => ({
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
    minReplicas: 1,
    maxReplicas: 10,
  });
  const load = {
    type: "Pods",
    pods: { metric: { name: "victim_load" }, target: { type: "AverageValue", averageValue: "10" } },
  };
  const cpu = {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 100 } },
  };
  const queue = {
    type: "External",
    external: {
      metric: { name: "queue_depth", selector: { matchLabels: { queue: "orders" } } },
      target: { type: "AverageValue", averageValue: "8" },
    },
  };
  const hpa = (name: string, metrics: readonly object[]) => ({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: metadata(name),
    spec: { ...target(name), metrics },
  });
  store.create("horizontalpodautoscalers.autoscaling", hpa("web", [load]));
  store.create("horizontalpodautoscalers.autoscaling", hpa("api", [cpu, queue]));
  store.create("workloadautoscalers.autoscaling.plimsoll.dev", {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: metadata("jobs"),
    spec: { ...target("jobs"), metrics: [load], schedules: ordinarySchedules },
  });
  store.create("metricrules.autoscaling.plimsoll.dev", {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "MetricRule",
    metadata: metadata("own"),
    spec: { type: "External", metric: "own_depth", query: "max by (queue) (queue_depth)" },
  });
  createLive(store);
  store.create("cronhorizontalpodautoscalers.autoscaling.alibabacloud.com", {
    apiVersion: "autoscaling.alibabacloud.com/v1beta1",
    kind: "CronHorizontalPodAutoscaler",
    metadata: metadata("night"),
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "night" },
      jobs: [
        { name: "less", schedule: "0,10,20,30,40,50 * * * * *", targetSize: 2 },
        { name: "more", schedule: "5,15,25,35,45,55 * * * * *", targetSize: 3 },
      ],
    },
  });
}

/** The first holds at all times but those excluded, long ago. */
const ordinarySchedules = [
  {
    name: "always",
    timeZone: "Europe/Berlin",
    start: "0 0 * * *",
    duration: "24h",
    minReplicas: 5,
    exclusions: [
      { date: "2020-12-25" },
      {
        calendar:
          "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART;VALUE=DATE:20200101\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
      },
    ],
  },
  { name: "office", timeZone: "UTC", start: "0 8 * * MON-FRI", end: "0 18 * * MON-FRI", minReplicas: 2 },
];

function createWorkload(store: VersionedStore, namespace: string, app: string, port: number): void {
  store.create("deployments.apps", {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: app, namespace },
    spec: {
      // That of the cron jobs differs from what either of them wants, so that the first run shows.
      replicas: app === "night" ? 1 : podsEach,
      selector: { matchLabels: { app } },
      template: { metadata: { labels: { app } }, spec: { containers: [containerOf(port)] } },
    },
    status: { replicas: podsEach },
  });
  for (const index of indexes) store.create("pods", pod(namespace, { app, index, port }));
}

const containerOf = (port: number) => ({
  name: "app",
  image: "registry.example/app:1",
  ports: [{ name: "metrics", containerPort: port }],
  resources: { requests: { cpu: "100m", memory: "64Mi" } },
});

interface PodOf {
  readonly app: string;
  readonly index: number;
  readonly port: number;
}

function pod(namespace: string, { app, index, port }: PodOf): StoredObject {
  const name = podName(app, index);
  const place = apps.findIndex((one) => one === app);
  const at = "2026-01-01T00:00:00Z";
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels: { app } },
    spec: { nodeName: "node-1", containers: [containerOf(port)] },
    status: {
      phase: "Running",
      startTime: at,
      ...(namespace === victim ? { podIP: victimAddress(place * podsEach + index) } : {}),
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: at }],
    },
  };
}

/** What is read from the pods themselves. */
function createLive(store: VersionedStore): void {
  const rule = (name: string, spec: object) =>
    store.create("metricrules.autoscaling.plimsoll.dev", {
      apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
      kind: "MetricRule",
      metadata: { name, namespace: victim },
      spec: { ...spec, live: { port: "metrics", podSelector: { matchLabels: { app: "web" } } } },
    });
  const query = "sum by (pod) (avg_over_time(victim_live[4s]))";
  rule("live-load", { type: "Pods", metric: "live_load", query });
  rule("live-clock", { type: "External", metric: "live_clock", query: "min(victim_clock)" });
  store.create("workloadautoscalers.autoscaling.plimsoll.dev", {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "live", namespace: victim },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "live" },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [
        {
          type: "Query",
          query: {
            promql: "sum(avg_over_time(victim_live[4s]))",
            live: { port: "metrics" },
            target: { type: "AverageValue", averageValue: "10" },
          },
        },
      ],
    },
  });
}

/** How long ago the cron jobs last changed their target, and the longest wait since the last look. */
export interface CronWatch {
  look(): number;
  /** From now on. */
  reset(): void;
  stop(): void;
}

export function watchCron(store: VersionedStore): CronWatch {
  let last = performance.now();
  let maxGapMs = 0;
  const stop = store.subscribe(({ resource, object }) => {
    if (resource !== "deployments.apps" || object.metadata.name !== "night") return;
    maxGapMs = Math.max(maxGapMs, performance.now() - last);
    last = performance.now();
  });
  return {
    look: () => {
      const found = Math.max(maxGapMs, performance.now() - last);
      maxGapMs = 0;
      return found;
    },
    reset: () => {
      last = performance.now();
      maxGapMs = 0;
    },
    stop,
  };
}
