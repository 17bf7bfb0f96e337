import { compileQueryTemplate, type InstantResult, PrometheusError } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import { evaluateQuery } from "../../src/query/evaluate.ts";
import type { QueryRequest } from "../../src/query/plan.ts";

const request: QueryRequest = {
  template: compileQueryTemplate("sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)"),
  series: "requests",
  selector: [],
  namespace: { label: "namespace", name: "ns" },
  objectLabel: "pod",
  names: ["a"],
  groupBy: ["pod"],
};
const promql = 'sum(requests{namespace="ns",pod="a"}) by (pod)';

function vector(...samples: readonly (readonly [pod: string | undefined, value: number])[]): InstantResult {
  return {
    type: "vector",
    samples: samples.map(([pod, value]) => ({ labels: pod === undefined ? {} : { pod }, value, atMs: 0 })),
    warnings: [],
    infos: [],
  };
}

test("evaluates a rule's query over any function that runs PromQL", async () => {
  const queries: string[] = [];
  const evaluation = await evaluateQuery(request, async (text) => {
    queries.push(text);
    return vector(["a", 1.5]);
  });
  expect(queries).toEqual([promql]);
  expect(evaluation).toEqual({
    promql,
    samples: [{ labels: { pod: "a" }, value: "1500m" }],
    problem: undefined,
  });
});

test.each([
  [vector(), "the query returned nothing"],
  [vector([undefined, 1]), "the result has no label pod"],
  [vector(["a", 1], ["a", 2]), "several series for one object"],
  [vector(["a", Number.NaN]), "no value is a number"],
])("a result that gives a client no value is a problem (%#)", async (result, problem) => {
  expect((await evaluateQuery(request, async () => result)).problem).toBe(problem);
});

test("a query that fails, or that the rule does not give, is part of the evaluation", async () => {
  const refused = await evaluateQuery(request, async () => {
    throw new PrometheusError("bad_data", "parse error");
  });
  expect(refused).toEqual({ promql, samples: [], problem: "parse error" });
  const template = compileQueryTemplate("<<.Missing>>");
  const unrendered = await evaluateQuery({ ...request, template }, async () => vector());
  expect([unrendered.promql, unrendered.problem]).toEqual([
    "",
    expect.stringContaining("cannot be rendered"),
  ]);
  const nothing = compileQueryTemplate('<<if eq .GroupBy "service">>up<<end>>');
  expect(await evaluateQuery({ ...request, template: nothing }, async () => vector())).toMatchObject({
    problem: "the rule's query is empty for this request",
  });
});
