// The requests that both adapters get.

const external = "/apis/external.metrics.k8s.io/v1beta1";
const resource = "/apis/metrics.k8s.io/v1beta1";

const podMetrics = [
  "temperature",
  "huge",
  "http_requests",
  "cpu_usage",
  "fs_reads",
  "memory_working_set_bytes",
  "lag_values",
  "unknown",
];
const metricSelectors = [
  "code=200",
  "code in (200,500)",
  "code!=500",
  "code notin (500)",
  "code",
  "!code",
  "code=",
  "code=404",
  "code===",
  "code>3",
  "a b",
];
const objectSelectors = ["app in (web,api)", "app!=web", "app.kubernetes.io/name=web", "a b", "app==="];
const objects = [
  "services/web/sessions",
  "service/web/sessions",
  "services/*/sessions",
  "services/web/http_requests",
  "deployments.apps/web/http_requests",
  "deployments/web/http_requests",
  "deployment.apps/web/http_requests",
  "po/web-1/temperature",
  "pod/web-1/temperature",
  "pods.v1/web-1/temperature",
  "ingresses.networking.k8s.io/front/ingress_rps",
  "ingresses/front/ingress_rps",
  "ingress.networking.k8s.io/front/ingress_rps",
  "ingresses.extensions/front/ingress_rps",
  "brands.cheese.io/x/temperature",
  "brands.cheese.io/*/temperature",
  "nodes/node-1/node_load",
  "metrics/quota_ns",
  "metrics/http_requests",
  "metrics/unknown",
  "pods/web-1",
  "pods/web-1/temperature/",
  "pods/web-1/temperature?fieldSelector=metadata.name%3Dweb-1",
  "pods/web-1/temperature?fieldSelector=metadata.name%3Dweb-2",
  "pods/web-1/temperature?timeoutSeconds=x",
  "pods/web-1/temperature?timeout=5s",
  "pods/web-1/temperature?watch=true",
  "pods/web-1/temperature?pretty=true",
  "pods/web-1/temperature?limit=1",
];
const clusterObjects = [
  "nodes/node-1/node_load",
  "nodes/*/node_load",
  "nodes/*/node_load?labelSelector=zone%3Dnode-2",
  "node/node-1/node_load",
  "nodes/gone/node_load",
  "namespaces/gone/metrics/quota_ns",
  "namespaces/*/metrics/quota_ns",
  "pods/web-1",
  "foo",
];
const externalMetrics = ["queue_consumer_lag", "queue_depth", "jobs", "ext_ignored", "unknown"];
const externalQueries = [
  "",
  "?labelSelector=name%3Da",
  "?labelSelector=name%20in%20(a,b)",
  "?labelSelector=name!%3Da",
  "?labelSelector=zone%3Deu",
  "?labelSelector=name%3D%3D%3D",
  "?labelSelector=name%3Dnone",
  "?labelSelector=namespace%3Dother",
  "?labelSelector=name%3E1",
  "?watch=true",
  "?fieldSelector=metadata.name%3Dx",
  "?fieldSelector=spec%3Dx",
  "?resourceVersionMatch=Exact",
  "?timeoutSeconds=x",
];
const resourceQueries = [
  "",
  "?labelSelector=app%3Dweb",
  "?labelSelector=app%3Dnone",
  "?labelSelector=app%3D%3D%3D",
  "?fieldSelector=metadata.name%3Dweb-1",
  "?fieldSelector=spec.nodeName%3Dx",
  "?watch=true",
  "?limit=1",
  "?resourceVersionMatch=Exact",
];

/** Paths that clients request, and paths that they should not. */
export const requests: readonly string[] = [
  "/apis",
  "/apis/custom.metrics.k8s.io",
  "/apis/external.metrics.k8s.io",
  "/apis/metrics.k8s.io",
  external,
  `${external}/`,
  resource,
  "/healthz",
  "/nothing",
  "/apis/nothing",
  ...["v1beta1", "v1beta2"].flatMap((version) => customRequests(`/apis/custom.metrics.k8s.io/${version}`)),
  ...externalMetrics.flatMap((metric) =>
    externalQueries.map((query) => `${external}/namespaces/shop/${metric}${query}`),
  ),
  ...["namespaces/default/unknown", "namespaces/*/queue_depth", "queue_depth"].map((p) => `${external}/${p}`),
  ...resourceQueries.flatMap((query) =>
    ["namespaces/shop/pods", "pods", "nodes"].map((path) => `${resource}/${path}${query}`),
  ),
  ...["web-1", "idle-1", "none"].map((name) => `${resource}/namespaces/shop/pods/${name}`),
  ...["namespaces/gone/pods", "nodes/node-1", "nodes/none", "namespaces/shop/nodes", "pods/web-1"].map(
    (path) => `${resource}/${path}`,
  ),
];

const utf8Pods = [
  "messages_published_per_second",
  "messages.waiting",
  "active_sessions",
  "server_requests_per_second",
];
const utf8Objects = [
  "services/web/sessions.open",
  "service/web/sessions.open",
  "services/*/sessions.open",
  "deployments.apps/web/jobs.active",
  "deployments/web/jobs.active",
];
const utf8Queues = [
  "shop/queue_depth_by_queue",
  "shop/queue_depth_by_queue?labelSelector=queue%3Da",
  "shop/queue_depth_by_queue?labelSelector=queue%20in%20(a,b)",
  "shop/queue_depth_by_queue?labelSelector=queue!%3Da",
  "shop/queue_depth_by_queue?labelSelector=queue%3Dnone",
  "other/queue_depth_by_queue",
  "other/queue_depth_utf8",
];

/** Of names that only Prometheus 3 has. */
const utf8Requests: readonly string[] = ["v1beta1", "v1beta2"].flatMap((version) => {
  const root = `/apis/custom.metrics.k8s.io/${version}`;
  const shop = `${root}/namespaces/shop`;
  return [
    root,
    ...utf8Pods.flatMap((metric) => [
      `${shop}/pods/web-2/${metric}`,
      `${shop}/pods/*/${metric}?metricLabelSelector=pod%3Dweb-1`,
      `${shop}/pods/*/${metric}?labelSelector=app%3Dweb`,
      `${root}/namespaces/other/pods/*/${metric}`,
    ]),
    ...utf8Objects.map((path) => `${shop}/${path}`),
    ...["node-1", "*"].map((node) => `${root}/nodes/${node}/node.load`),
  ];
});

/** The same of both, where Prometheus has UTF-8 names, and is slow, partial, and behind a proxy. */
export const hardRequests: readonly string[] = [
  ...[
    "messages_published_per_second",
    "messages.waiting",
    "messages.held",
    "active_sessions",
    "temperature",
  ].flatMap((metric) =>
    ["pods/*", "pods/web-1", "pods/gone-1"].map(
      (object) => `/apis/custom.metrics.k8s.io/v1beta1/namespaces/shop/${object}/${metric}`,
    ),
  ),
  ...["queue_depth", "queue_depth?labelSelector=name%3Da", "queue_depth_utf8"].map(
    (metric) => `${external}/namespaces/shop/${metric}`,
  ),
  ...["pods", "pods/began-1", "pods/began-2", "pods/web-1", "pods?labelSelector=app%3Dbegan"].map(
    (path) => `${resource}/namespaces/shop/${path}`,
  ),
  `${resource}/nodes`,
  ...utf8Requests,
  ...utf8Queues.map((path) => `${external}/namespaces/${path}`),
];

function customRequests(root: string): readonly string[] {
  const pods = `${root}/namespaces/shop/pods`;
  return [
    root,
    ...podMetrics.flatMap((metric) => [
      `${pods}/*/${metric}`,
      `${pods}/web-1/${metric}`,
      `${pods}/%2A/${metric}?labelSelector=app%3Dweb`,
      `${pods}/*/${metric}?labelSelector=app%3Dnone`,
      `${pods}/gone-1/${metric}`,
    ]),
    ...metricSelectors.flatMap((selector) =>
      ["*", "web-1"].map(
        (name) => `${pods}/${name}/http_requests?metricLabelSelector=${encodeURIComponent(selector)}`,
      ),
    ),
    ...objectSelectors.map(
      (selector) => `${pods}/*/temperature?labelSelector=${encodeURIComponent(selector)}`,
    ),
    ...objects.map((path) => `${root}/namespaces/shop/${path}`),
    ...clusterObjects.map((path) => `${root}/${path}`),
  ];
}
