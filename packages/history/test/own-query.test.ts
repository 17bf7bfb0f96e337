import { expect, test } from "vitest";
import { ownQuery } from "../src/metric-queries.ts";

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
  [{ source: "team-a" }, "its query is for the source team-a: give it with --query"],
])("%j is not read, and why is said", async (rest, why) => {
  const read = await ownQuery({ ...query, ...rest }, "shop");
  expect(read.ok ? "" : read.why).toContain(why);
});
