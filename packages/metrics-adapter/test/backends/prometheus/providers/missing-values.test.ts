import { failure, vector } from "@plimsoll/prometheus/testing";
import { afterEach, expect, test } from "vitest";
import { pod } from "../cluster.ts";
import { failureIn, type Harness, type HarnessOptions, startHarness, valueOf } from "../harness.ts";

const rules = `
rules:
- seriesQuery: 'http_requests_total{namespace!="",pod!=""}'
  resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}
  name: {matches: "^(.*)_total$", as: "\${1}_per_second"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[2m])) by (<<.GroupBy>>)'
`;
const series = [{ __name__: "http_requests_total", namespace: "ns", pod: "a" }];

let harness: Harness;

afterEach(() => harness.stop());

async function start(options: Partial<HarnessOptions> = {}): Promise<Harness> {
  const objects = {
    pods: [pod("ns", "b", { app: "x" }), pod("ns", "a.1", { app: "x" }), pod("other", "c", { app: "x" })],
  };
  harness = await startHarness({ rules, series, objects, ...options });
  return harness;
}

test("not a number is missing: left out of many, an error for one", async () => {
  await start({
    query: () =>
      vector([
        { labels: { pod: "b" }, value: "NaN" },
        { labels: { pod: "a.1" }, value: "3" },
      ]),
  });
  expect(
    valueOf(await harness.custom({ metric: "http_requests_per_second" })).map(({ name }) => name),
  ).toEqual(["a.1"]);
  for (const value of ["NaN", "+Inf", "-Inf"]) {
    harness.fake.handle(() => vector([{ labels: { pod: "b" }, value }]));
    const failed = failureIn(await harness.custom({ metric: "http_requests_per_second", name: "b" }));
    expect(failed.code).toBe("ObjectNotFound");
    expect(failed.message).toMatch(/its value is (NaN|-?Infinity)$/);
  }
});

test.each([
  ["sum(<<.Series>>{<<.LabelMatchers>>})", "; end the query with by (<<.GroupBy>>)"],
  ["sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>) or vector(0)", ""],
])("a result without the label of the objects says so: %s", async (query, remedy) => {
  await start({
    rules: `rules: [{seriesQuery: 'http_requests_total', resources: {template: "<<.Resource>>"}, metricsQuery: '${query}'}]`,
    query: () => vector([{ labels: {}, value: "1" }]),
  });
  for (const name of ["b", "*"]) {
    const failed = failureIn(await harness.custom({ metric: "http_requests_total", name }));
    expect(failed.code).toBe("ObjectNotFound");
    expect(failed.message).toContain(`${name}: the result has no label pod${remedy}`);
  }
});

test("two series for one object are an error, not a sum and not the last", async () => {
  await start({
    query: () =>
      vector([
        { labels: { pod: "b", cluster: "1" }, value: "1" },
        { labels: { pod: "b", cluster: "2" }, value: "2" },
      ]),
  });
  const failed = failureIn(await harness.custom({ metric: "http_requests_per_second" }));
  expect(failed).toMatchObject({ code: "Internal" });
  expect(failed.message).toContain(
    'several series for pods b: {cluster="1", pod="b"} and {cluster="2", pod="b"}',
  );
});

test("one object with two series costs the others of the list nothing, and is warned of once", async () => {
  await start({
    query: () =>
      vector([
        { labels: { pod: "a.1" }, value: "3" },
        { labels: { pod: "b", cluster: "1" }, value: "1" },
        { labels: { pod: "b", cluster: "2" }, value: "2" },
      ]),
  });
  const metric = "http_requests_per_second";
  const names = async (): Promise<readonly string[]> =>
    valueOf(await harness.custom({ metric })).map(({ name }) => name);
  const warnings = (): number =>
    harness.log.filter(({ message }) => message === "objects are left out of a list").length;
  expect([await names(), await names()]).toEqual([["a.1"], ["a.1"]]);
  expect(warnings()).toBe(1);
  expect(failureIn(await harness.custom({ metric, name: "b" })).code).toBe("Internal");
  await harness.clock.advance(600_000);
  await names();
  expect(warnings()).toBe(2);
});

test("part of the data: some of many are missing, one alone has no value", async () => {
  await start({ query: () => vector([{ labels: { pod: "b" }, value: "1" }], ["a store did not answer"]) });
  expect(valueOf(await harness.custom({ metric: "http_requests_per_second" }))).toHaveLength(1);
  expect(failureIn(await harness.custom({ metric: "http_requests_per_second", name: "b" })).code).toBe(
    "Unavailable",
  );
});

test("a value of another namespace is never given", async () => {
  await start({ query: () => vector([{ labels: { pod: "b", namespace: "other" }, value: "1" }]) });
  expect(valueOf(await harness.custom({ metric: "http_requests_per_second" }))).toEqual([]);
});

test.each([
  [
    "a matrix",
    { body: '{"status":"success","data":{"resultType":"matrix","result":[]}}' },
    "Internal",
    /returned a matrix/,
  ],
  ["a refused query", failure(400, "bad_data", "parse error"), "Internal", /parse error/],
  ["an overloaded server", failure(503, "unavailable", "busy"), "Unavailable", /busy/],
  ["a login page", { body: "<html>" }, "Unavailable", /invalid response/],
] as const)("Prometheus responds with %s", async (_name, reply, code, message) => {
  await start({ query: () => reply });
  const failed = failureIn(await harness.custom({ metric: "http_requests_per_second" }));
  expect(failed.code).toBe(code);
  expect(failed.message).toMatch(message);
});

test("429 passes its Retry-After on", async () => {
  await start({ query: () => ({ status: 429, headers: { "retry-after": "7" }, body: "" }) });
  expect(failureIn(await harness.custom({ metric: "http_requests_per_second" }))).toMatchObject({
    code: "Unavailable",
    retryAfterSeconds: 7,
  });
});

test("Prometheus that never responds is unavailable; a caller that leaves times out", async () => {
  await start({ query: () => () => undefined, queryTimeoutMs: 100 });
  expect(failureIn(await harness.custom({ metric: "http_requests_per_second" })).code).toBe("Unavailable");
  const controller = new AbortController();
  const pending = harness.custom({ metric: "http_requests_per_second", signal: () => controller.signal });
  controller.abort();
  expect(failureIn(await pending).code).toBe("Timeout");
});
