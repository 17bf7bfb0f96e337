import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { fakeEngine, podValue, sampleAtMs } from "../http/fakes.ts";
import { askAs, type Harness, startAdapter } from "../http/harness.ts";

let harness: Harness;
const fresh = fakeEngine();

beforeAll(async () => {
  harness = await startAdapter();
});
afterAll(async () => {
  await harness.adapter.stop();
});
beforeEach(() => {
  harness.engine.queries.length = 0;
  harness.engine.onCustom = fresh.onCustom;
  harness.engine.onExternal = fresh.onExternal;
  harness.engine.onPods = fresh.onPods;
  harness.engine.onNodes = fresh.onNodes;
});

const custom = "/apis/custom.metrics.k8s.io";
const external = "/apis/external.metrics.k8s.io/v1beta1";
const metrics = "/apis/metrics.k8s.io/v1beta1";

test("custom v1beta1 has exactly the bytes that clients know", async () => {
  const answer = await askAs(
    harness,
    `${custom}/v1beta1/namespaces/default/pods/router-1/packets-per-second`,
  );
  expect(answer.code).toBe(200);
  expect(answer.headers["content-type"]).toBe("application/json");
  expect(answer.headers["cache-control"]).toBe("no-cache, private");
  expect(answer.text).toBe(
    '{"kind":"MetricValueList","apiVersion":"custom.metrics.k8s.io/v1beta1","metadata":{},"items":[' +
      '{"describedObject":{"kind":"Pod","namespace":"default","name":"router-1","apiVersion":"/v1"},' +
      '"metricName":"packets-per-second","timestamp":"2026-01-02T03:04:05Z","window":120,"value":"1k","selector":null}]}\n',
  );
});

test.each([
  [
    { ...podValue("a", "1500m"), selector: { matchLabels: { verb: "GET" } }, windowSeconds: undefined },
    '{"describedObject":{"kind":"Pod","namespace":"default","name":"a","apiVersion":"/v1"},' +
      '"metric":{"name":"packets-per-second","selector":{"matchLabels":{"verb":"GET"}}},' +
      '"timestamp":"2026-01-02T03:04:05Z","value":"1500m"}',
  ],
  [
    { ...podValue("n", "2"), kind: "Namespace", namespace: undefined },
    '{"describedObject":{"kind":"Namespace","name":"n","apiVersion":"/v1"},' +
      '"metric":{"name":"packets-per-second","selector":null},' +
      '"timestamp":"2026-01-02T03:04:05Z","windowSeconds":120,"value":"2"}',
  ],
])("custom v1beta2 has exactly the bytes that clients know", async (value, item) => {
  harness.engine.onCustom = async () => ({ ok: true, value: [value] });
  const answer = await askAs(harness, `${custom}/v1beta2/namespaces/default/pods/*/packets-per-second`);
  expect(answer.text).toBe(
    `{"kind":"MetricValueList","apiVersion":"custom.metrics.k8s.io/v1beta2","metadata":{},"items":[${item}]}\n`,
  );
});

test("external metrics have exactly the bytes that clients know", async () => {
  const labelled = await askAs(harness, `${external}/namespaces/default/queue_depth`);
  expect(labelled.text).toBe(
    '{"kind":"ExternalMetricValueList","apiVersion":"external.metrics.k8s.io/v1beta1","metadata":{},"items":[' +
      '{"metricName":"queue_depth","metricLabels":{"__name__":"queue_depth","queue":"jobs"},' +
      '"timestamp":"2026-01-02T03:04:05Z","value":"30"}]}\n',
  );
  harness.engine.onExternal = async () => ({
    ok: true,
    value: [
      { metric: "q", labels: undefined, value: "1", atMs: sampleAtMs, windowSeconds: 60, query: "sum(q)" },
    ],
  });
  const scalar = await askAs(harness, `${external}/namespaces/default/q`);
  expect(scalar.json()).toMatchObject({
    query: "sum(q)",
    items: [
      { metricName: "q", metricLabels: null, timestamp: "2026-01-02T03:04:05Z", window: 60, value: "1" },
    ],
  });
});

test("resource metrics: a list for many, the bare object for one", async () => {
  const list = await askAs(harness, `${metrics}/namespaces/default/pods`);
  const createdAt = list.json().items[0].metadata.creationTimestamp;
  expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const body =
    `"metadata":{"name":"api-1","namespace":"default","creationTimestamp":"${createdAt}","labels":{"app":"api"}},` +
    '"timestamp":"2026-01-02T03:04:05Z","window":"5m0s","containers":[' +
    '{"name":"main","usage":{"cpu":"250m","memory":"64Mi"}},{"name":"sidecar","usage":{"cpu":"50m","memory":"32Mi"}}]}';
  expect(list.text).toBe(
    `{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[{${body}]}\n`,
  );
  const one = await askAs(harness, `${metrics}/namespaces/default/pods/api-1`);
  expect(one.text.replace(/"creationTimestamp":"[^"]*"/, `"creationTimestamp":"${createdAt}"`)).toBe(
    `{"kind":"PodMetrics","apiVersion":"metrics.k8s.io/v1beta1",${body}\n`,
  );
  const node = await askAs(harness, `${metrics}/nodes/n1`);
  expect(node.json()).toMatchObject({
    kind: "NodeMetrics",
    window: "1m30s",
    usage: { cpu: "2", memory: "4Gi" },
  });
  expect(node.json().metadata).not.toHaveProperty("labels");
  const nodes = await askAs(harness, `${metrics}/nodes`);
  expect(nodes.json()).toMatchObject({ kind: "NodeMetricsList", items: [{ metadata: { name: "n1" } }] });
});

test.each([
  ["v1beta1/namespaces/ns/pods/p/m", { groupResource: "pods", namespace: "ns", name: "p", metric: "m" }],
  ["v1beta1/namespaces/ns/pods/p/m/", { groupResource: "pods", namespace: "ns", name: "p", metric: "m" }],
  ["v1beta2/namespaces/ns/pods/*/m", { groupResource: "pods", namespace: "ns", name: "*", metric: "m" }],
  ["v1beta2/namespaces/ns/pods/%2A/m", { groupResource: "pods", namespace: "ns", name: "*", metric: "m" }],
  [
    "v1beta1/namespaces/ns/metrics/m",
    { groupResource: "namespaces", namespace: undefined, name: "ns", metric: "m" },
  ],
  [
    "v1beta1/namespaces/*/metrics/m",
    { groupResource: "namespaces", namespace: undefined, name: "*", metric: "m" },
  ],
  ["v1beta1/nodes/n1/m", { groupResource: "nodes", namespace: undefined, name: "n1", metric: "m" }],
  [
    "v1beta1/namespaces/ns/deployments.apps/d/job:rate:5m",
    { groupResource: "deployments.apps", metric: "job:rate:5m" },
  ],
  [
    "v1beta1/namespaces/ns/pods/*/m?labelSelector=app%3Dx%2Ctier+in+(a,b)&metricLabelSelector=verb%3DGET",
    { labelSelector: "app=x,tier in (a,b)", metricLabelSelector: "verb=GET" },
  ],
  ["v1beta1/namespaces/ns/pods/p/m?fieldSelector=metadata.name%3Dp&watch=true&limit=5", { name: "p" }],
  ["v1beta1/namespaces/ns/pods/p/m?fieldSelector=metadata.namespace=ns,metadata.name=p", { name: "p" }],
])("custom path %s", async (path, expected) => {
  const answer = await askAs(harness, `${custom}/${path}`);
  expect(answer.code).toBe(200);
  expect(harness.engine.queries[0]).toMatchObject(expected);
});

test("the selectors of external and resource metrics reach the provider", async () => {
  await askAs(
    harness,
    `${external}/namespaces/ns/queue_depth?labelSelector=queue%3Djobs&fieldSelector=metadata.name%3Dx`,
  );
  expect(harness.engine.queries[0]).toMatchObject({
    namespace: "ns",
    metric: "queue_depth",
    labelSelector: "queue=jobs",
  });
  await askAs(harness, `${metrics}/pods?labelSelector=a%3Db&fieldSelector=metadata.namespace%3Dkube-system`);
  expect(harness.engine.queries[1]).toMatchObject({
    namespace: undefined,
    labelSelector: "a=b",
    fieldSelector: "metadata.namespace=kube-system",
  });
  expect(harness.engine.queries[1]).not.toHaveProperty("name");
});
