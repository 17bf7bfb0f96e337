import { expect, test } from "vitest";
import { metricKey } from "../../src/infer/metric-target.ts";

test("queries are the same metric in two specifications where the PromQL is the same", () => {
  const keyOf = (promql: string, name: string) =>
    metricKey({
      type: "External",
      external: { metric: { name }, target: { type: "AverageValue", averageValue: "100" } },
      query: { promql, source: "prometheus", metric: name },
    });
  expect(keyOf("sum(a)", "query[0]")).toEqual(keyOf("sum(a)", "query[1]"));
  expect(keyOf("sum(a)", "query[0]")).not.toEqual(keyOf("sum(b)", "query[0]"));
});
