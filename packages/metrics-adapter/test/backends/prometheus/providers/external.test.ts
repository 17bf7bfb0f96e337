import { failure, type SeenRequest, success, vector } from "@plimsoll/prometheus/testing";
import { afterEach, expect, test } from "vitest";
import { failureIn, type Harness, type HarnessOptions, startHarness, valueOf } from "../harness.ts";

const rules = `
externalRules:
- seriesQuery: queue_depth
  resources: {overrides: {tenant: {resource: namespace}}}
  metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>}) by (queue)
- seriesQuery: global_lag
  name: {matches: "global_(.*)", as: "Global_$1"}
  resources: {namespaced: false}
  metricsQuery: max_over_time(<<.Series>>{<<.LabelMatchers>>}[1m])
- seriesQuery: homeless
  metricsQuery: <<.Series>>{<<.LabelMatchers>>}
- seriesQuery: Twin
  resources: {namespaced: false}
  metricsQuery: x
- seriesQuery: twin
  resources: {namespaced: false}
  metricsQuery: y
- seriesQuery: TWIN
  resources: {namespaced: false}
- seriesQuery: grouped
  resources: {namespaced: false}
  metricsQuery: sum(<<.Series>>) by (<<.GroupBy>>)<<range .GroupBySlice>>!<<end>>
`;
const series = ["queue_depth", "global_lag", "homeless", "Twin", "twin", "TWIN", "grouped"].map((name) => ({
  __name__: name,
}));

let harness: Harness;

afterEach(() => harness.stop());

async function start(options: Partial<HarnessOptions> = {}): Promise<void> {
  harness = await startHarness({ rules, series, ...options });
}

test("values with their labels, confined to the namespace", async () => {
  await start({
    query: () =>
      vector([
        { labels: { queue: "a" }, value: "30" },
        { labels: { queue: "b", __name__: "x" }, value: "0.5" },
      ]),
  });
  expect(valueOf(await harness.external("queue_depth", "ns", "queue in (a,b),zone!=c"))).toEqual([
    {
      metric: "queue_depth",
      labels: { queue: "a" },
      value: "30",
      atMs: 1_700_000_000_000,
      windowSeconds: undefined,
    },
    {
      metric: "queue_depth",
      labels: { queue: "b", __name__: "x" },
      value: "500m",
      atMs: 1_700_000_000_000,
      windowSeconds: undefined,
    },
  ]);
  expect(harness.queries()).toEqual(['sum(queue_depth{queue=~"a|b",zone!="c",tenant="ns"}) by (queue)']);
  expect(harness.engine.external?.list()).toEqual([
    "Global_lag",
    "TWIN",
    "Twin",
    "grouped",
    "homeless",
    "queue_depth",
    "twin",
  ]);
});

test("a rule for all namespaces, requested in lower case as controllers do", async () => {
  await start({ query: () => success({ resultType: "scalar", result: [1_700_000_000, "5"] }) });
  expect(valueOf(await harness.external("global_lag", "any", "a=b"))).toEqual([
    { metric: "Global_lag", labels: undefined, value: "5", atMs: 1_700_000_000_000, windowSeconds: 60 },
  ]);
  expect(harness.queries()).toEqual(['max_over_time(global_lag{a="b"}[1m])']);
});

test("names that differ in case alone are not confused", async () => {
  await start({ query: () => vector([]) });
  await harness.external("Twin");
  await harness.external("twin");
  expect(harness.queries()).toEqual(["x", "y"]);
  expect(failureIn(await harness.external("tWiN")).code).toBe("MetricNotFound");
});

test("there is nothing to group external metrics by", async () => {
  await start({ query: () => vector([]) });
  expect(valueOf(await harness.external("grouped"))).toEqual([]);
  expect(harness.queries()).toEqual(["sum(grouped) by ()"]);
});

test.each([
  ["nope", "ns", "", "MetricNotFound", /could not find the metric nope/],
  ["queue_depth", "ns", "a>1", "BadRequest", /operator of a/],
  ["queue_depth", "ns", "=", "BadRequest", /./],
  ["queue_depth", "ns", "tenant=other", "BadRequest", /excludes the request's namespace ns/],
  ["queue_depth", "*", "", "BadRequest", /not a namespace name/],
  ["queue_depth", "", "", "BadRequest", /not a namespace name/],
  ["homeless", "ns", "", "Internal", /has no label for namespaces/],
  ["TWIN", "ns", "", "Internal", /has no query/],
] as const)("%s in %j with %j", async (...row) => {
  const [metric, namespace, selector, code, message] = row;
  await start();
  const failed = failureIn(await harness.external(metric, namespace, selector));
  expect(failed.code).toBe(code);
  expect(failed.message).toMatch(message);
  expect(harness.queries()).toEqual([]);
});

test("a value that is not a number spoils the sum, so it is an error", async () => {
  await start({
    query: () =>
      vector([
        { labels: { queue: "a" }, value: "30" },
        { labels: { queue: "b" }, value: "NaN" },
      ]),
  });
  const failed = failureIn(await harness.external("queue_depth"));
  expect([failed.code, failed.message]).toEqual([
    "ObjectNotFound",
    'the metric queue_depth has no usable value: {queue="b"} is NaN',
  ]);
  harness.fake.handle(() => success({ resultType: "scalar", result: [1, "+Inf"] }));
  expect(failureIn(await harness.external("queue_depth")).message).toMatch(/its value is Infinity/);
});

test("part of the data gives no sum; a note on the query does no harm", async () => {
  const sample = { labels: { queue: "a" }, value: "30" };
  await start({ query: () => vector([sample], ["PromQL info: metric might not be a counter"]) });
  expect(valueOf(await harness.external("queue_depth"))).toHaveLength(1);
  harness.fake.handle(() => vector([sample], ["store 10.0.0.1 did not answer"]));
  expect(failureIn(await harness.external("queue_depth"))).toMatchObject({
    code: "Unavailable",
    message: "unable to fetch metrics: Prometheus has only part of the data: store 10.0.0.1 did not answer",
  });
  expect(harness.log.map(({ message }) => message)).toContain("Prometheus returned a warning");
});

test("a result that is no current value", async () => {
  await start({ query: () => success({ resultType: "string", result: [1, "x"] }) });
  expect(failureIn(await harness.external("queue_depth"))).toMatchObject({ code: "Internal" });
  harness.fake.handle(() => failure(500, "internal", "oops"));
  expect(failureIn(await harness.external("queue_depth"))).toMatchObject({
    code: "Unavailable",
    retryAfterSeconds: 1,
  });
});

/** Three queues, and for a query of one its own sample alone. */
function queues({ parameters }: SeenRequest) {
  const promql = parameters.get("query") ?? "";
  const wanted = /queue="(\w+)"/.exec(promql)?.[1];
  const all = ["a", "b", "c"].map((queue, at) => ({ labels: { queue }, value: String(at) }));
  return vector(all.filter(({ labels }) => wanted === undefined || labels.queue === wanted));
}

test("autoscalers of different queues share one query, where the rule keeps the queue's label", async () => {
  await start({ query: queues, resultMaxAgeMs: 5_000 });
  const depth = async (queue: string, namespace = "ns") =>
    valueOf(await harness.external("queue_depth", namespace, `queue=${queue},zone!=c`)).map(
      ({ labels, value }) => [labels?.["queue"], value],
    );
  expect([await depth("a"), await depth("b"), await depth("c"), await depth("a")]).toEqual([
    [["a", "0"]],
    [["b", "1"]],
    [["c", "2"]],
    [["a", "0"]],
  ]);
  expect(harness.queries()).toEqual([
    'sum(queue_depth{queue="a",zone!="c",tenant="ns"}) by (queue)',
    'sum(queue_depth{queue!="",zone!="c",tenant="ns"}) by (queue)',
  ]);
  expect(valueOf(await harness.external("queue_depth", "ns", "queue in (b,a,b),zone!=c"))).toHaveLength(2);
  expect(await depth("unheard-of")).toEqual([]);
  await depth("a", "other");
  expect(harness.queries().slice(2)).toEqual([
    'sum(queue_depth{queue="a",zone!="c",tenant="other"}) by (queue)',
  ]);
});

test.each([
  ["a label that the result does not keep", "region=eu"],
  ["the empty value", "queue="],
  ["the namespace's own label", "tenant=ns"],
  ["values that are ruled out", "queue!=a"],
])("asks exactly for %s", async (_, selector) => {
  await start({ query: queues, resultMaxAgeMs: 5_000 });
  await harness.external("queue_depth", "ns", selector);
  await harness.external("queue_depth", "ns", `${selector},other=x`);
  expect(harness.queries().every((promql) => !promql.includes('queue!=""'))).toBe(true);
  expect(harness.queries()).toHaveLength(2);
});
