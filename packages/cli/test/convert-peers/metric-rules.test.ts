// Queries that become MetricRules: of objects of KEDA and kube-metrics-adapter, and of rules of prometheus-adapter.
import { checkRuleObjects } from "@plimsoll/metric-rules";
import { expect, test } from "vitest";
import { convert, documentsOf, type Fields, runConvert } from "./rig.ts";

const scaledObject = (query: string, metadata = "{name: shop, namespace: shop}"): string => `
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: ${metadata}
spec:
  scaleTargetRef: {name: shop}
  minReplicaCount: 1
  triggers:
    - type: prometheus
      metadata:
        serverAddress: http://prometheus:9090
        query: ${JSON.stringify(query)}
        threshold: "10"
`;

const toRules = ["--to", "metric-rules"] as const;

function rulesOf(objects: readonly Fields[]): readonly Fields[] {
  return objects.filter(({ kind }) => kind === "MetricRule");
}

test("a prometheus trigger becomes a MetricRule under the name that the WorkloadAutoscaler reads", async () => {
  const text = scaledObject('sum(rate(http_requests_total{namespace="shop",service="web"}[2m]))');
  const { objects, rules, code } = await convert(text, ...toRules);
  expect([code, rules]).toEqual([0, []]);
  expect(objects.map(({ kind }) => kind)).toEqual(["WorkloadAutoscaler", "MetricRule"]);
  expect(JSON.stringify(objects[0])).toContain('"external":{"metric":{"name":"shop.shop.s0"}');
  expect(objects[1]).toEqual({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "MetricRule",
    metadata: { name: "shop.shop.s0", namespace: "shop" },
    spec: {
      type: "External",
      query: 'sum(rate(http_requests_total{service="web"}[2m]))',
    },
  });
});

test.each([
  'sum(rabbitmq_queue_messages_ready{queue="orders"})',
  'sum(a{namespace="shop"}) / scalar(sum(b))',
  'sum(a{namespace="shop"} or a{namespace="other"})',
  '{__name__=~"a|b"}',
])("a query that reads series of any namespace is an error, and not confined: %s", async (query) => {
  const { code, problems, objects } = await convert(scaledObject(query), ...toRules);
  expect([code, objects]).toEqual([1, []]);
  expect(problems).toMatchObject([
    {
      message: expect.stringContaining('would be confined to namespace="shop", and may read other series'),
      remedy: expect.stringContaining("a rule of the administrator's file has no such limit"),
    },
  ]);
});

test("a missing series is not 0 within a formula either", async () => {
  const one = scaledObject('sum(a{namespace="shop"})');
  const named = one
    .replace("- type: prometheus", "- name: a\n      type: prometheus")
    .replace("  triggers:", '  advanced: {scalingModifiers: {formula: "a + a", target: "10"}}\n  triggers:');
  const { objects, notes } = await convert(named, ...toRules);
  expect(rulesOf(objects)).toMatchObject([{ spec: { query: "sum((sum(a))) + sum((sum(a)))" } }]);
  expect(notes.map(({ path }) => path)).toContain("spec.triggers[0].metadata.ignoreNullValues");
});

test("a missing series of a MetricRule is never 0: KEDA's ignoreNullValues is noted", async () => {
  const { objects, notes } = await convert(
    scaledObject('sum(a{namespace="shop"})').replace("minReplicaCount: 1", "minReplicaCount: 0"),
    ...toRules,
  );
  expect(JSON.stringify(objects)).not.toContain("vector(0)");
  expect(rulesOf(objects)).toMatchObject([{ spec: { query: "sum((sum(a))) * (sum((sum(a))) > bool 0)" } }]);
  expect(notes).toMatchObject([
    { path: "spec.triggers[0].metadata.ignoreNullValues", remedy: expect.stringContaining("or vector(0)") },
  ]);
});

test("metrics whose objects would have one name are not one object, and of two rules for a metric the later is kept", async () => {
  const rule = (series: string, query: string): string =>
    `- {seriesQuery: ${series}, resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}, metricsQuery: '${query}'}`;
  const text = `rules:
${rule("queue_length", "sum(queue_length{<<.LabelMatchers>>}) by (<<.GroupBy>>)")}
${rule('"queue:length"', 'sum({__name__="queue:length",<<.LabelMatchers>>}) by (<<.GroupBy>>)')}
${rule("queue_length", "max(queue_length{<<.LabelMatchers>>}) by (<<.GroupBy>>)")}
externalRules:
${rule("queue_length", "sum(queue_length{<<.LabelMatchers>>})")}
`;
  const { objects } = await convert(text, ...toRules, "--namespace=shop");
  expect(
    rulesOf(objects).map(({ metadata, spec }) => {
      const { type, metric, query } = spec as Fields;
      return [(metadata as Fields)["name"], type, metric, query];
    }),
  ).toEqual([
    ["queue-length", "Pods", "queue:length", 'sum({__name__="queue:length"}) by (pod)'],
    ["queue-length-2", "Pods", "queue_length", "max(queue_length) by (pod)"],
    ["queue-length-3", "External", "queue_length", "sum(queue_length)"],
  ]);
});

test("without the option the query goes into the rules file as it is", async () => {
  const { objects, rules } = await convert(scaledObject('sum(a{namespace="shop"})'));
  expect(objects).toHaveLength(1);
  expect(rules[0]?.["metricsQuery"]).toContain('a{namespace="shop"}');
});

test.each([
  ['sum(a{namespace="shop",namespace!="other"})', "NamespaceMatcher"],
  ['sum(rate(a{namespace="shop"}[30d]))', "TooCostly"],
])("a query that no MetricRule may have is named: %s", async (query, reason) => {
  const { code, problems, objects } = await convert(scaledObject(query), ...toRules);
  expect([code, objects]).toEqual([1, []]);
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining(`is a query that no MetricRule may have: ${reason}: `),
  ]);
});

test("an object that names no namespace gets that of the flag, which is needed", async () => {
  const text = scaledObject('sum(a{namespace="pay"})', "{name: shop}");
  const { objects } = await convert(text, ...toRules, "--namespace", "pay");
  expect(rulesOf(objects)).toMatchObject([{ metadata: { namespace: "pay" }, spec: { query: /\(a\)/ } }]);
  const none = await convert(scaledObject('sum(a{namespace="pay"})', "{name: shop}"), ...toRules);
  expect(none.problems).toMatchObject([{ message: expect.stringContaining("set --namespace") }]);
});

test("an annotation of kube-metrics-adapter becomes a MetricRule of the source that it names", async () => {
  const text = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: web
  namespace: shop
  annotations:
    metric-config.external.rps.prometheus/query: sum(rate(requests_total{namespace="shop"}[1m]))
    metric-config.external.rps.prometheus/prometheus-server-alias: team-a
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  maxReplicas: 5
  metrics:
    - type: External
      external:
        metric: {name: rps, selector: {matchLabels: {type: prometheus}}}
        target: {type: AverageValue, averageValue: "10"}
`;
  const { objects, code } = await convert(text, ...toRules);
  expect(code).toBe(0);
  expect(rulesOf(objects)).toEqual([
    {
      apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
      kind: "MetricRule",
      metadata: { name: "shop.web.rps", namespace: "shop" },
      spec: { type: "External", source: "team-a", query: "sum(rate(requests_total[1m]))" },
    },
  ]);
});

const resources =
  "resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}, ingress: {group: networking.k8s.io, resource: ingress}}}";

test("rules of prometheus-adapter become MetricRules of a namespace, one for each resource", async () => {
  const text = `
rules:
- seriesQuery: http_requests_total{job="web"}
  ${resources}
  name: {matches: "^(.*)_total$", as: "$\{1}_per_second"}
  metricsQuery: sum(rate(<<.Series>>{<<.LabelMatchers>>,code!="500"}[2m])) by (<<.GroupBy>>)
externalRules:
- seriesQuery: queue_depth
  source: team-a
  resources: {overrides: {namespace: {resource: namespace}}}
  metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>})
`;
  const { objects, notes, code } = await convert(text, ...toRules, "-n", "shop");
  expect([code, notes]).toEqual([0, []]);
  const rule = (name: string, spec: Fields): Fields => ({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "MetricRule",
    metadata: { name, namespace: "shop" },
    spec,
  });
  expect(objects).toEqual([
    rule("http-requests-per-second", {
      type: "Pods",
      metric: "http_requests_per_second",
      query: 'sum(rate(http_requests_total{code!="500"}[2m])) by (pod)',
    }),
    rule("http-requests-per-second-ingresses.networking.k8s.io", {
      type: "Object",
      metric: "http_requests_per_second",
      object: { resource: "ingresses.networking.k8s.io", label: "ingress" },
      query: 'sum(rate(http_requests_total{code!="500"}[2m])) by (ingress)',
    }),
    rule("queue-depth", {
      type: "External",
      metric: "queue_depth",
      source: "team-a",
      query: "sum(queue_depth)",
    }),
  ]);
});

const notes: readonly (readonly [what: string, rule: string, note: string])[] = [
  [
    "a pattern of series",
    `seriesQuery: '{__name__=~"^http_.*"}'\n  ${resources}`,
    "finds its series by a pattern",
  ],
  [
    "another label of the namespace",
    "seriesQuery: a\n  resources: {overrides: {ns: {resource: namespace}, pod: {resource: pod}}}",
    "is confined by the label ns, and MetricRules by namespace: start the adapter with --metric-rule-namespace-label=ns",
  ],
  [
    "no label of the namespace",
    "seriesQuery: a\n  resources: {overrides: {pod: {resource: pod}}}",
    "says no label of the namespace",
  ],
  [
    "a name that does not match",
    `seriesQuery: a\n  ${resources}\n  name: {matches: "^b$"}`,
    "gives no metric for the series a",
  ],
  [
    "resources without a namespace",
    "seriesQuery: a\n  resources: {overrides: {namespace: {resource: namespace}, node: {resource: node}}}",
    "gives metrics of nodes, which have no namespace",
  ],
];

test.each(notes)("%s is named, and written by nothing", async (_what, rule, note) => {
  const text = `rules:\n- ${rule}\n  metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)\n`;
  const converted = await convert(text, ...toRules, "-n", "shop");
  expect(converted.objects).toEqual([]);
  expect(converted.code).toBe(0);
  expect(converted.notes.map(({ path, message }) => `${path} ${message}`)).toEqual([
    expect.stringContaining(`rules[0] ${note}`),
  ]);
});

test("a rule whose query also reads series of other namespaces stays in the file", async () => {
  const text = `rules:\n- seriesQuery: a\n  ${resources}\n  metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>) / scalar(sum(b))\n`;
  const converted = await convert(text, ...toRules, "-n", "shop");
  expect([converted.code, converted.objects]).toEqual([0, []]);
  expect(new Set(converted.notes.map(({ message }) => message))).toEqual(
    new Set([expect.stringContaining('b would be confined to namespace="shop"')]),
  );
});

test("a template of resources gives the pods, and says what is left", async () => {
  const text = `
rules:
- seriesQuery: a
  resources: {template: "<<.Resource>>"}
  metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)
- seriesQuery: b
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'sum(<<.Series>>{pod=~"<<index .LabelValuesByName "pod">>"}) by (<<.GroupBy>>)'
externalRules:
- seriesQuery: c
  resources: {namespaced: false}
  metricsQuery: sum(<<.Series>>)
`;
  const { objects, notes: said } = await convert(text, ...toRules, "-n", "shop");
  expect(objects).toMatchObject([
    { metadata: { name: "a" }, spec: { type: "Pods", query: "sum(a) by (pod)" } },
  ]);
  expect(said.map(({ path, message }) => `${path} ${message}`)).toEqual([
    expect.stringContaining("rules[0] names resources by a template: only pods are written"),
    expect.stringContaining("rules[1] has a query with LabelValuesByName"),
    expect.stringContaining("externalRules[0] is not namespaced"),
  ]);
});

test("a rules file needs the option and a namespace, and its own problems are those of rules check", async () => {
  const text = "rules:\n- seriesQuery: a\n  metricsQuery: b\n";
  expect((await runConvert(text)).errors).toContain("--to metric-rules makes MetricRules of it");
  expect((await runConvert(text, ...toRules)).errors).toContain(
    "name the one of the MetricRules with --namespace",
  );
  const broken = await convert("rules:\n- seriesQuery: a(\n  color: red\n", ...toRules, "-n", "shop");
  expect(broken.code).toBe(1);
  expect(broken.problems.map(({ line }) => line)).toContain(3);
});

test("what is written is YAML that the adapter accepts, with the namespace in every selector", async () => {
  const { out } = await runConvert(
    scaledObject('sum(a{namespace="shop"}) / sum(b{c="d",namespace="shop"})'),
    ...toRules,
  );
  const [, rule] = documentsOf(out);
  const [checked] = checkRuleObjects([rule as never], { namespaceLabel: "namespace", namespace: "default" });
  expect(checked?.decided).toMatchObject({
    type: "accepted",
    rule: {
      query: 'sum(a{namespace="shop"}) / sum(b{c="d",namespace="shop"})',
    },
  });
});
