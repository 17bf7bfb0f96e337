// rules check of files with MetricRules and WorkloadAutoscalers, without a Prometheus.
import { expect, test } from "vitest";
import { good } from "./good-rules.ts";
import { plimsoll, reading } from "./run-plimsoll.ts";

const run = (args: readonly string[], files: Readonly<Record<string, string>> = {}) =>
  plimsoll(args, { readText: reading({ "good.yaml": good, ...files }), nowMs: () => Date.now() });

const metricRule = (name: string, spec: string) => `apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: MetricRule
metadata: { name: ${name}, namespace: shop }
spec: ${spec}
---
`;

test("MetricRules of a file are shown with the query that would be sent", async () => {
  const files = {
    "rule.yaml": metricRule("packets", "{ type: Pods, query: 'sum by (pod) (rate(packets_total[2m]))' }"),
  };
  expect(await run(["rules", "check", "rule.yaml"], files)).toEqual({
    code: 0,
    out: 'shop/packets: sum by (pod) (rate(packets_total{namespace="shop"}[2m]))\nrule.yaml: 1 MetricRule, no problems\n',
    err: "",
  });
  const { out } = await run(["rules", "check", "rule.yaml", "--namespace-label", "ns"], files);
  expect(out).toContain('{ns="shop"}');
});

test("MetricRules that would be refused come with the reason, and end with 2", async () => {
  const files = {
    "rules.yaml": [
      metricRule("own", "{ type: External, metric: queue, query: 'queue{namespace=\"other\"}' }"),
      metricRule("first", "{ type: External, metric: depth, query: depth }"),
      metricRule("second", "{ type: External, metric: depth, query: depth, podLabel: pod }"),
      metricRule("third", "{ type: External, metric: depth, query: depth }"),
    ].join(""),
  };
  const { code, out } = await run(["rules", "check", "rules.yaml"], files);
  expect(code).toBe(2);
  expect(out.split("\n").map((line) => line.slice(0, 60))).toEqual([
    'shop/first: depth{namespace="shop"}',
    'error: shop/own: NamespaceMatcher: spec.query: "namespace=\\"',
    'error: shop/second: InvalidSpec: spec.podLabel: "pod" has no',
    "error: shop/third: NameTaken: spec.metric: the older MetricR",
    "rules.yaml: 4 MetricRules, 3 with problems",
    "",
  ]);
  const json = await run(["rules", "check", "rules.yaml", "-o", "json"], files);
  expect(JSON.parse(json.out)).toMatchObject({
    schema: "plimsoll/metric-rules-check/v1",
    ok: false,
    rules: [{ name: "first", accepted: true }, { reason: "NamespaceMatcher" }, {}, {}],
  });
});

test("queries of WorkloadAutoscalers are shown as they would be sent, under the names that they are served with", async () => {
  const autoscaler = (name: string, promql: string) => `apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  maxReplicas: 9
  metrics:
    - { type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 60 } } }
    - { type: Query, query: { promql: '${promql}', target: { type: AverageValue, averageValue: 10 } } }
---
`;
  const files = {
    "web.yaml": autoscaler("web", "sum(rate(requests_total[2m]))"),
    "bad.yaml": `${autoscaler("web", 'queue{namespace="other"}')}${metricRule("depth", "{ type: External, query: depth }")}`,
  };
  const { code, out, err } = await run(["rules", "check", "web.yaml"], files);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(
    /^shop\/web@query\.[0-9a-f]{16}: sum\(rate\(requests_total\{namespace="shop"\}\[2m\]\)\)\nweb\.yaml: 1 query of WorkloadAutoscalers, no problems\n$/,
  );
  const bad = await run(["rules", "check", "bad.yaml"], files);
  expect(bad.code).toBe(2);
  expect(bad.out).toMatch(/error: shop\/web@query\.[0-9a-f]{16}: NamespaceMatcher: query\.promql: /);
  expect(bad.out).toContain("bad.yaml: 1 MetricRule, 1 query of WorkloadAutoscalers, 1 with problems");
  const json = await run(["rules", "check", "bad.yaml", "-o", "json"], files);
  expect(JSON.parse(json.out)).toMatchObject({
    ok: false,
    rules: [{ name: "depth", accepted: true }],
    queries: [{ accepted: false, reason: "NamespaceMatcher" }],
  });
});

test("a MetricRule that is not YAML, or has no name, is a finding and no crash", async () => {
  const broken = { "a.yaml": "kind: MetricRule\nspec: {", "b.yaml": "apiVersion: v1\nkind: MetricRule\n" };
  expect(await run(["rules", "check", "a.yaml"], broken)).toMatchObject({ code: 2, err: "" });
  const { code, out } = await run(["rules", "check", "b.yaml"], broken);
  expect([code, out]).toEqual([2, expect.stringContaining("1 without metadata.name: add a name to each")]);
});

const external = (query: string) => metricRule("rps", `{ type: External, query: '${query}' }`);

test("a MetricRule of a retired source is a finding", async () => {
  const files = { "rules.yaml": external("sum(rate(nginx_ingress_controller_requests[2m]))") };
  const { code, out } = await run(["rules", "check", "rules.yaml"], files);
  expect([code, out]).toEqual([
    2,
    expect.stringContaining("warning: shop/rps: the series are from ingress-nginx, retired"),
  ]);
  expect(out).toContain("rules.yaml: 1 MetricRule, 1 with problems");
  const json = await run(["rules", "check", "rules.yaml", "-o", "json"], files);
  expect(JSON.parse(json.out)).toMatchObject({
    ok: false,
    rules: [{ accepted: true, warnings: [expect.stringContaining("retired")] }],
  });
});

test("a gateway's series in a MetricRule are only a note: its proxies may run in the namespace", async () => {
  const files = { "rules.yaml": external("sum(rate(istio_requests_total[2m]))") };
  const { code, out } = await run(["rules", "check", "rules.yaml"], files);
  expect(code).toBe(0);
  expect(out).toContain(
    "note: shop/rps: the label namespace is where Istio runs, not where the object is: the query finds series only if that is shop; ",
  );
  const json = await run(["rules", "check", "rules.yaml", "-o", "json"], files);
  expect(JSON.parse(json.out)).toMatchObject({
    ok: true,
    rules: [{ notes: [expect.stringContaining("Istio")] }],
  });
});

test.each([
  external('sum(rate(istio_requests_total{reporter="destination"}[2m]))'),
  metricRule("rps", "{ type: Pods, query: 'sum by (pod) (rate(traefik_service_requests_total[2m]))' }"),
  external('sum(rate(my_requests_total{job="istio_requests_total"}[2m]))'),
  external("sum(rate(envoy_cluster_upstream_rq_total[2m]))"),
  external(
    "sum(rate(nginx_ingress_controller_requests[2m])) or sum(rate(haproxy_backend_http_requests_total[2m]))",
  ),
  external("sum(rate(http_server_request_duration_seconds_count[10s]))"),
])("nothing is said of a MetricRule that may be right (%#)", async (text) => {
  const { code, out } = await run(["rules", "check", "rules.yaml"], { "rules.yaml": text });
  expect([code, out]).toEqual([0, expect.not.stringMatching(/warning|note/)]);
});

test("with another label the namespace of a gateway's series is taken for the object's", async () => {
  const args = ["rules", "check", "rules.yaml", "--namespace-label", "destination_service_namespace"];
  const { out } = await run(args, { "rules.yaml": external("sum(rate(istio_requests_total[2m]))") });
  expect(out).not.toContain("note");
});
