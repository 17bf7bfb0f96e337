// Rules of prometheus-adapter that become MetricRules.
import { checkRuleObjects } from "@plimsoll/metric-rules";
import { expect, test } from "vitest";
import { convert, documentsOf, type Fields, runConvert, scaledObject, toRules } from "./rig.ts";

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
    "no namespace label",
    "seriesQuery: a\n  resources: {overrides: {pod: {resource: pod}}}",
    "has no namespace label",
  ],
  [
    "a name that does not match",
    `seriesQuery: a\n  ${resources}\n  name: {matches: "^b$"}`,
    "has no metric for the series a",
  ],
  [
    "resources without a namespace",
    "seriesQuery: a\n  resources: {overrides: {namespace: {resource: namespace}, node: {resource: node}}}",
    "has metrics of nodes, which have no namespace",
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
    expect.stringContaining("rules[0] maps resources with a template: only pods are converted"),
    expect.stringContaining("rules[1] has a query with LabelValuesByName"),
    expect.stringContaining("externalRules[0] is not namespaced"),
  ]);
});

test("a rules file needs the option and a namespace, and its own problems are those of rules check", async () => {
  const text = "rules:\n- seriesQuery: a\n  metricsQuery: b\n";
  expect((await runConvert(text)).errors).toContain("use --to metric-rules to convert it to MetricRules");
  expect((await runConvert(text, ...toRules)).errors).toContain(
    "set the namespace of the MetricRules with --namespace",
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
