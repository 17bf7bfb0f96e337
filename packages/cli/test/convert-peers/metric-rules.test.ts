// Queries of KEDA and kube-metrics-adapter that become MetricRules.

import { expect, test } from "vitest";
import { convert, type Fields, rulesOf, scaledObject, toRules } from "./rig.ts";

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
      remedy: expect.stringContaining("rules in the administrator's file have no such limit"),
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
    expect.stringContaining(`is a query that MetricRules can't have: ${reason}: `),
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
