import type { QuerySource } from "@plimsoll/metric-rules";
import { failure, type SeenRequest, success, vector } from "@plimsoll/prometheus/testing";
import { afterEach, expect, test } from "vitest";
import { fakeRules } from "../../metric-rules/fake-rules.ts";
import {
  discovery,
  failureIn,
  type Harness,
  type HarnessOptions,
  startHarness,
  valueOf,
  waitFor,
} from "../harness.ts";

const byPod = "resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}";
const rules = `
rules:
- {seriesQuery: first, ${byPod}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}
- {seriesQuery: second, ${byPod}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}
`;
const series = [
  { __name__: "first", namespace: "ns", pod: "a" },
  { __name__: "second", namespace: "ns", pod: "a" },
];

let harness: Harness;

afterEach(() => harness.stop());

async function start(options: Partial<HarnessOptions> = {}): Promise<void> {
  harness = await startHarness({ rules, series, ...options });
}

function podMetrics(): readonly string[] {
  const infos = harness.engine.custom?.list() ?? [];
  return infos.filter(({ groupResource }) => groupResource === "pods").map(({ metric }) => metric);
}

function relists(): number {
  return harness.fake.requests.filter(({ parameters }) => parameters.getAll("match[]")[0] === "first").length;
}

test("Prometheus down at the start: unready with the reason, 503 for requests, and ready once it is back", async () => {
  const down = failure(503, "unavailable", "starting up");
  harness = await startHarness({ rules, series, waits: false, discover: () => down });
  await waitFor(() => harness.engine.readiness().message.includes("starting up"));
  expect(harness.engine.readiness().ready).toBe(false);
  expect(failureIn(await harness.custom({ metric: "first" }))).toMatchObject({
    code: "Unavailable",
    retryAfterSeconds: 1,
  });
  expect(failureIn(await harness.custom({ metric: "first" })).message).toMatch(/starting up/);
  harness.fake.handle((request) => discovery(series, request));
  await harness.clock.advance(1_000);
  await waitFor(() => harness.engine.readiness().ready);
  expect(podMetrics()).toEqual(["first", "second"]);
});

test("Prometheus down at the start: live metrics are served, so the process is ready and says what is missing", async () => {
  const down = failure(503, "unavailable", "starting up");
  const live = {
    queries: (others: QuerySource) => others,
    run: () => Promise.reject(new Error()),
    stop: async () => {},
  };
  harness = await startHarness({
    rules,
    waits: false,
    discover: () => down,
    metricRules: fakeRules().client,
    createLive: () => live,
  });
  expect(harness.engine.readiness().ready).toBe(false);
  await waitFor(() => harness.engine.readiness().ready);
  expect(harness.engine.readiness().message).toMatch(/starting up/);
  expect(failureIn(await harness.custom({ metric: "first" }))).toMatchObject({ code: "Unavailable" });
});

test("a rule that fails keeps what was known of it, and harms no other", async () => {
  await start();
  expect(podMetrics()).toEqual(["first", "second"]);
  const more = [...series, { __name__: "first", namespace: "ns", pod: "a", node: "n" }];
  harness.fake.handle((request) => {
    const isSecond = request.parameters.getAll("match[]")[0]?.startsWith("second") ?? false;
    return isSecond ? failure(422, "execution", "too much") : discovery(more.slice(1, 2), request);
  });
  await harness.clock.advance(60_000);
  await waitFor(() => podMetrics().length === 1);
  expect(podMetrics()).toEqual(["second"]);
  expect(harness.engine.readiness()).toMatchObject({
    ready: true,
    message: expect.stringContaining("rules[1]"),
  });
});

test("what is not listed yet is unavailable, not unknown", async () => {
  const isSecond = (request: SeenRequest): boolean =>
    request.parameters.getAll("match[]")[0]?.startsWith("second") ?? false;
  harness = await startHarness({
    rules,
    series,
    discover: (request) =>
      isSecond(request) ? failure(503, "unavailable", "starting up") : discovery(series, request),
  });
  expect(podMetrics()).toEqual(["first"]);
  const pending = failureIn(await harness.custom({ metric: "second", name: "a" }));
  expect([pending.code, pending.message]).toEqual(["Unavailable", expect.stringContaining("rules[1]")]);
  // A selector that Prometheus will never take says nothing about the other metrics.
  harness.fake.handle((request) =>
    isSecond(request) ? failure(400, "bad_data", "parse error") : discovery(series, request),
  );
  await harness.clock.advance(1_000);
  await expect
    .poll(async () => failureIn(await harness.custom({ metric: "second", name: "a" })).code)
    .toBe("MetricNotFound");
});

test("a metric that goes is unknown at the next relist, and one that comes is found", async () => {
  await start();
  harness.fake.handle((request) => discovery([{ __name__: "second", namespace: "ns", pod: "a" }], request));
  expect(podMetrics()).toContain("first");
  await harness.clock.advance(60_000);
  await waitFor(() => !podMetrics().includes("first"));
  expect(failureIn(await harness.custom({ metric: "first", name: "a" })).code).toBe("MetricNotFound");
});

test("an override of a resource that the cluster does not have is warned of, and the others are served", async () => {
  await start({
    rules: rules.replaceAll(
      "pod: {resource: pod}",
      "pod: {resource: pod}, rocket: {group: space.example, resource: rocket}",
    ),
  });
  expect(podMetrics()).toEqual(["first", "second"]);
  const warnings = harness.log.flatMap(({ fields }) => ("warning" in fields ? [fields.warning] : []));
  expect(warnings).toEqual(Array(2).fill("the cluster has no resource rocket.space.example"));
});

test("a relist that takes long blocks no request", async () => {
  await start({ query: () => vector([{ labels: { pod: "a" }, value: "1" }]) });
  harness.fake.handle(({ path }) =>
    path === "/api/v1/query" ? vector([{ labels: { pod: "a" }, value: "1" }]) : () => undefined,
  );
  const before = harness.fake.requests.length;
  await harness.clock.advance(60_000);
  await waitFor(() => harness.fake.requests.length > before);
  expect(valueOf(await harness.custom({ metric: "first", name: "a" }))).toHaveLength(1);
  await harness.clock.advance(600_000);
  expect(relists()).toBeLessThanOrEqual(2);
});

/** Whether the server heeds the selector. */
const probe = "/api/v1/label/__name__/values plimsoll:no_such_series";

test.each([
  ["one name: one list of its labels", "first", ["/api/v1/labels first"]],
  [
    "one name and every label asked for: one list of names",
    'first{namespace!="",pod!=""}',
    ['/api/v1/label/__name__/values first{namespace!="",pod!=""}'],
  ],
  [
    "one name and one label not certain: one list of names",
    'first{pod!=""}',
    ['/api/v1/label/__name__/values first{pod!="",namespace!=""}'],
  ],
  [
    "several names, every label asked for: one list of names",
    '{__name__=~"first|second",namespace!="",pod!=""}',
    ['/api/v1/label/__name__/values {__name__=~"first|second",namespace!="",pod!=""}', probe],
  ],
  [
    "several names, one label not certain: a list for that one too",
    '{__name__=~"first|second",pod!=""}',
    [
      '/api/v1/label/__name__/values {__name__=~"first|second",pod!=""}',
      '/api/v1/label/__name__/values {__name__=~"first|second",pod!="",namespace!=""}',
      probe,
    ],
  ],
])("a relist sends one query for what one response contains: %s", async (_, seriesQuery, asked) => {
  const more = [...series, { __name__: "second", pod: "b" }];
  harness = await startHarness({
    rules: `rules: [{seriesQuery: '${seriesQuery}', ${byPod}, metricsQuery: x}]`,
    series: more,
  });
  const seen = harness.fake.requests.map(
    ({ path, parameters }) => `${path} ${parameters.getAll("match[]")[0]}`,
  );
  expect(seen.sort()).toEqual(asked.toSorted());
  const names = seriesQuery.startsWith("{") ? ["first", "second"] : ["first"];
  expect(podMetrics()).toEqual(names);
  expect(
    harness.engine.custom?.list().map(({ groupResource, metric }) => `${groupResource}/${metric}`),
  ).toEqual(["namespaces", "pods"].flatMap((resource) => names.map((name) => `${resource}/${name}`)));
});

test.each(["first", 'first{pod!=""}'])(
  "a label that no series of %s has gives no metric of its resource",
  async (seriesQuery) => {
    await start({
      rules: `rules: [{seriesQuery: '${seriesQuery}', resources: {overrides: {pod: {resource: pod}, node: {resource: node}}}, metricsQuery: x}]`,
    });
    expect(harness.engine.custom?.list()).toMatchObject([
      { groupResource: "pods", namespaced: true, metric: "first" },
    ]);
  },
);

test("queries only the time that counts", async () => {
  await start();
  expect(harness.fake.requests[0]?.parameters.get("start")).toBe("1699999400.000");
});

test("servers without label endpoints are queried for the series", async () => {
  harness = await startHarness({
    rules,
    series,
    discover: (request) =>
      request.path === "/api/v1/series"
        ? discovery(series, request)
        : { status: 404, body: "404 page not found" },
  });
  expect(podMetrics()).toEqual(["first", "second"]);
});

test("a selector that cannot be extended is queried for its series", async () => {
  harness = await startHarness({
    rules: `rules: [{seriesQuery: "first # note", ${byPod}, metricsQuery: x}]`,
    series,
    discover: () => success(series.slice(0, 1)),
  });
  expect(podMetrics()).toEqual(["first"]);
  expect(harness.fake.requests.map(({ path }) => path)).toEqual(["/api/v1/series"]);
});

test("of two rules for one metric the later wins, and the log says so once", async () => {
  await start({
    rules: `
rules:
- {seriesQuery: first, ${byPod}, name: {as: same}, metricsQuery: 'a{<<.LabelMatchers>>}'}
- {seriesQuery: second, ${byPod}, name: {as: same}, metricsQuery: 'b{<<.LabelMatchers>>}'}
`,
    query: () => vector([]),
  });
  await harness.custom({ metric: "same", name: "x" });
  expect(harness.queries()).toEqual(['b{namespace="ns",pod="x"}']);
  await harness.clock.advance(60_000);
  await waitFor(() => relists() === 2);
  const said = harness.log
    .filter(({ message }) => message === "a rule needs attention")
    .map(({ fields }) => fields);
  expect(said).toEqual([
    { rule: "rules[0]", warning: "namespaces/same: second of rules[1] replaces first" },
    { rule: "rules[0]", warning: "pods/same: second of rules[1] replaces first" },
  ]);
});

test("of two series for one metric the one that lives wins", async () => {
  const renamed = ["a_new_total", "z_old_total"].map((name) => ({
    __name__: name,
    namespace: "ns",
    pod: "a",
  }));
  await start({
    rules: `rules: [{seriesQuery: '{__name__=~".*_total"}', ${byPod}, name: {as: total}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}]`,
    series: renamed,
    query: ({ parameters }) =>
      vector(
        (parameters.get("query") ?? "").includes("last_over_time")
          ? [{ labels: { __name__: "a_new_total" }, value: "1" }]
          : [],
      ),
  });
  await harness.custom({ metric: "total", name: "a" });
  expect(harness.queries()).toEqual([
    'count by (__name__) (last_over_time({__name__=~"a_new_total|z_old_total"}[600000ms]))',
    'a_new_total{namespace="ns",pod="a"}',
  ]);
});

test("names that could change a query, or are those of object members, do no harm", async () => {
  const names = ["__proto__", "constructor", 'x"} or secret{', "with.dot"];
  await start({
    rules: `rules: [{seriesQuery: '{pod!=""}', ${byPod}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}]`,
    series: names.map((name) => ({ ["__name__"]: name, namespace: "ns", pod: "a" })),
    query: () => vector([{ labels: { pod: "a" }, value: "1" }]),
  });
  expect(podMetrics()).toEqual(["__proto__", "constructor", "with.dot"]);
  expect(valueOf(await harness.custom({ metric: "with.dot", name: "a" }))).toHaveLength(1);
  expect(harness.queries()).toContain('{"with.dot",namespace="ns",pod="a"}');
  expect(valueOf(await harness.custom({ metric: "__proto__", name: "a" }))).toMatchObject([
    { metric: "__proto__", value: "1" },
  ]);
  expect(failureIn(await harness.custom({ metric: "toString", name: "a" })).code).toBe("MetricNotFound");
  expect(JSON.stringify(harness.log)).toContain("a quote, a backslash or a control character");
});

test("nothing is queried after the stop", async () => {
  await start();
  await harness.engine.stop();
  const before = harness.fake.requests.length;
  await harness.clock.advance(600_000);
  expect(harness.fake.requests).toHaveLength(before);
});
