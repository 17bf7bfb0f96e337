import { expect, onTestFinished, test } from "vitest";
import { withExtraLabels, withLabels } from "../../src/enforce/index.ts";
import { createPrometheusClient } from "../../src/index.ts";
import { startFakePrometheus, success, vector } from "../../src/testing.ts";

const labels = [
  ["cluster", "eu-1"],
  ["region", 'a"b'],
] as const;
const added = 'cluster="eu-1",region="a\\"b"';

test.each([
  ["up", `up{${added}}`],
  ["sum by (pod) (rate(a{b!='c',}[2m] offset 1h))", `sum by (pod) (rate(a{b!="c",${added}}[2m] offset 1h))`],
  ["a / on (x) group_left b", `a{${added}} / on (x) group_left b{${added}}`],
  ["max_over_time(rate(a[5m])[1h:1m])", `max_over_time(rate(a{${added}}[5m])[1h:1m])`],
  // Both have to match: a query cannot leave its labels.
  ['a{cluster="us-1"}', `a{cluster="us-1",${added}}`],
  ['{__name__=~"a.*"}', `{__name__=~"a.*",${added}}`],
  ['"} or secret{"', '"} or secret{"'],
  ["1 + time()", "1 + time()"],
])("%j has the labels in each selector", (query, expected) => {
  expect(withLabels(query, labels)).toEqual({ ok: true, query: expected });
});

test("what has the labels already is left as it is", () => {
  const once = withLabels("a / b{c='d'}", labels);
  expect(withLabels(once.ok ? once.query : "", labels)).toEqual(once);
});

test.each(["sum(", "info(a, {b='c'})", "a[5m] smoothed", "a{b=~c}", ""])("%j is refused", (query) => {
  expect(withLabels(query, labels)).toMatchObject({ ok: false, message: expect.any(String) });
});

test("a client with labels sends them with each request, and gives none of them back", async () => {
  const found = { __name__: "a", pod: "p", cluster: "eu-1", region: 'a"b' };
  const fake = await startFakePrometheus(({ path }) => {
    if (path === "/api/v1/series") return success([found]);
    if (path === "/api/v1/labels") return success(Object.keys(found));
    if (path.endsWith("/values")) return success(["p"]);
    if (path === "/api/v1/query_range")
      return success({ resultType: "matrix", result: [{ metric: found, values: [[1, "1"]] }] });
    return vector([{ labels: found, value: "1" }]);
  });
  const client = withExtraLabels(createPrometheusClient({ url: fake.url }), labels, new Map());
  onTestFinished(async () => {
    await client.close();
    await fake.close();
  });
  const range = { startMs: 0, endMs: 1_000, stepMs: 1_000 };
  const bare = { __name__: "a", pod: "p" };
  expect(await client.query("a")).toMatchObject({ samples: [{ labels: bare }] });
  expect(await client.queryRange("a", range)).toMatchObject({ series: [{ labels: bare }] });
  expect(await client.series(["a"], { startMs: 0 })).toEqual([bare]);
  expect(await client.labelNames(["a"], { startMs: 0 })).toEqual(["__name__", "pod"]);
  expect(await client.labelValues("pod", ["a"], { startMs: 0 })).toEqual(["p"]);
  const sent = fake.requests.flatMap(({ parameters }) => [
    ...parameters.getAll("query"),
    ...parameters.getAll("match[]"),
  ]);
  expect(sent).toEqual(Array(5).fill(`a{${added}}`));
  await expect(client.query("info(a)")).rejects.toMatchObject({
    kind: "bad_data",
    message: expect.stringContaining("the labels of the source cannot be added to the query: "),
  });
  expect(fake.requests).toHaveLength(5);
});
