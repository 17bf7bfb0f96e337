// The workloads of the adapter's benchmark.

/** A workload and its pods: 50 namespaces of 20 workloads with 10 pods each, and two workloads to look at alone. */
export interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly pods: readonly string[];
}

/** One time series of the metrics below; the value is a function of its index. */
export type SeriesLabels = Readonly<Record<string, string>>;

const namespaceCount = 50;
const workloadsEach = 20;
const podsEach = 10;

export const namespaces: readonly string[] = Array.from(
  { length: namespaceCount },
  (_, i) => `team-${String(i).padStart(2, "0")}`,
);

const firstNamespace = "team-00";

export const workloads: readonly Workload[] = namespaces.flatMap((namespace) =>
  Array.from({ length: workloadsEach }, (_, i) => workload(namespace, `app-${String(i).padStart(2, "0")}`)),
);

/** One pod. */
export const solo = workload(firstNamespace, "solo", 1);
/** A hundred pods. */
export const big = workload(firstNamespace, "big", 100);

export const allWorkloads: readonly Workload[] = [...workloads, solo, big];

export const containers: readonly string[] = ["app", "proxy"];

function workload(namespace: string, name: string, count: number = podsEach): Workload {
  const pods = Array.from({ length: count }, (_, i) => `${name}-5d9c7b8f6d-x${String(i).padStart(4, "0")}`);
  return { namespace, name, pods };
}

/** Series by metric name. */
export function seriesOf(name: string): readonly SeriesLabels[] {
  switch (name) {
    case "http_requests_total":
      return allWorkloads.flatMap((w) =>
        w.pods.map((pod) => ({ namespace: w.namespace, pod, service: w.name, job: "apps" })),
      );
    case "queue_depth":
      return allWorkloads.map((w) => ({ namespace: w.namespace, queue: w.name, job: "queues" }));
    case "container_cpu_usage_seconds_total":
    case "container_memory_working_set_bytes":
      return allWorkloads.flatMap((w) =>
        w.pods.flatMap((pod) => containers.map((container) => ({ namespace: w.namespace, pod, container }))),
      );
    default:
      return [];
  }
}

export const metricNames: readonly string[] = [
  "http_requests_total",
  "queue_depth",
  "container_cpu_usage_seconds_total",
  "container_memory_working_set_bytes",
];

/** A prometheus-adapter configuration; both adapters run with this one. */
export const rules = `rules:
  - seriesQuery: 'http_requests_total{namespace!="",pod!=""}'
    resources:
      overrides:
        namespace: { resource: namespace }
        pod: { resource: pod }
        service: { resource: service }
    name: { matches: ^http_requests_total$, as: http_requests_per_second }
    metricsQuery: sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)
externalRules:
  - seriesQuery: 'queue_depth{namespace!=""}'
    resources:
      overrides:
        namespace: { resource: namespace }
    metricsQuery: max(<<.Series>>{<<.LabelMatchers>>}) by (queue)
resourceRules:
  cpu:
    containerQuery: sum(rate(container_cpu_usage_seconds_total{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)
    nodeQuery: sum(rate(node_cpu_usage_seconds_total{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)
    resources:
      overrides:
        namespace: { resource: namespace }
        node: { resource: node }
        pod: { resource: pod }
    containerLabel: container
  memory:
    containerQuery: sum(container_memory_working_set_bytes{<<.LabelMatchers>>}) by (<<.GroupBy>>)
    nodeQuery: sum(node_memory_working_set_bytes{<<.LabelMatchers>>}) by (<<.GroupBy>>)
    resources:
      overrides:
        namespace: { resource: namespace }
        node: { resource: node }
        pod: { resource: pod }
    containerLabel: container
  window: 1m
`;

const custom = "/apis/custom.metrics.k8s.io/v1beta2";

export const paths = {
  discovery: custom,
  external: (w: Workload) =>
    `/apis/external.metrics.k8s.io/v1beta1/namespaces/${w.namespace}/queue_depth?labelSelector=queue%3D${w.name}`,
  object: (w: Workload) => `${custom}/namespaces/${w.namespace}/services/${w.name}/http_requests_per_second`,
  pods: (w: Workload) =>
    `${custom}/namespaces/${w.namespace}/pods/%2A/http_requests_per_second?labelSelector=app%3D${w.name}`,
  resource: (w: Workload) =>
    `/apis/metrics.k8s.io/v1beta1/namespaces/${w.namespace}/pods?labelSelector=app%3D${w.name}`,
};

/** What 1,000 autoscalers request, one request each: a quarter of each kind in every namespace. */
export const mixedPaths: readonly string[] = shuffled(
  workloads.map((w, i) => {
    const kinds = [paths.pods, paths.object, paths.external, paths.resource];
    return (kinds[i % kinds.length] ?? paths.pods)(w);
  }),
);

/** What 1,000 autoscalers with a Pods metric request. */
export const podsPaths: readonly string[] = shuffled(workloads.map(paths.pods));

/** The same order in every run, but no two neighbors of one namespace. */
function shuffled<T>(items: readonly T[]): readonly T[] {
  const step = 617;
  return items.map((_, i) => items[(i * step) % items.length]).filter((item) => item !== undefined);
}
