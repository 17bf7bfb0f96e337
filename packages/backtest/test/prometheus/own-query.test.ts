import { createBuiltinMapper, loadRules } from "@plimsoll/rules";
import { expect, test } from "vitest";
import { ownQuery, rangeMsOf } from "../../src/prometheus/metric-queries.ts";
import { resourceQuery } from "../../src/prometheus/resource-rules.ts";

const query = {
  promql: "sum by (pod) (rate(a[2m]))",
  source: "default",
  metric: "shop@query.0123456789abcdef",
};

test("the query of a WorkloadAutoscaler is read for its namespace alone", async () => {
  const read = await ownQuery({ ...query, podLabel: "pod" }, "shop");
  expect(read).toMatchObject({ ok: true, podLabel: "pod" });
  expect(read.ok && read.promql([])).toBe('sum by (pod) (rate(a{namespace="shop"}[2m]))');
});

test.each([
  [{ promql: 'a{namespace="other"}' }, "its query cannot be confined to the namespace: "],
  [{ promql: "a{" }, "its query cannot be confined to the namespace: "],
  [{ source: "team-a" }, "its query is for the source team-a: set it with --query, and use the address"],
])("%j is not read, and why is said", async (rest, why) => {
  const read = await ownQuery({ ...query, ...rest }, "shop");
  expect(read.ok ? "" : read.why).toContain(why);
});

test("a resource rule says which window the adapter reports", async () => {
  const text = `resourceRules:
  cpu:
    containerLabel: container
    containerQuery: sum by (<<.GroupBy>>) (rate(container_cpu_usage_seconds_total{<<.LabelMatchers>>}[3m]))
    resources: { overrides: { namespace: { resource: namespace }, pod: { resource: pod } } }
  window: 1m
`;
  const loaded = loadRules(text, "rules.yaml");
  if (!loaded.ok || loaded.rules.resource === undefined) throw new Error("the rules have no resource rules");
  const spec = { type: "Resource" };
  const facts = {
    index: 0,
    spec,
    name: "cpu",
    container: undefined,
    type: "utilization",
    target: 70,
  } as const;
  const read = await resourceQuery(loaded.rules.resource, createBuiltinMapper(loaded.rules), {
    facts,
    namespace: "shop",
  });
  expect(read).toMatchObject({ ok: true, windowMs: 60_000 });
  expect(read.ok && rangeMsOf(read.promql([]))).toBe(180_000);
});

test.each([
  ["sum by (pod) (rate(a[2m]))", 120_000],
  ["sum by (pod) (irate(a[5m]))", 0],
  ["avg_over_time(rate(a[1m])[10m:1m])", 600_000],
  ["sum by (pod) (pod:cpu:sum_rate)", undefined],
])("%s is a mean over %s ms", (promql, rangeMs) => {
  expect(rangeMsOf(promql)).toBe(rangeMs);
});
