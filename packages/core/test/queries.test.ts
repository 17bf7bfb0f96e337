import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  decide,
  explain,
  type MetricSpec,
  metricIdentity,
  metricRows,
  recordDecision,
  replay,
  stepLines,
} from "../src/index.ts";
import { problemsText, validateHpa } from "../src/objects/api/index.ts";
import {
  asWritten,
  isQueryName,
  maxQueries,
  queryName,
  queryOwner,
  readQueries,
  withQueries,
  withQueryPaths,
} from "../src/objects/queries/index.ts";

const target = { type: "AverageValue", averageValue: "100" };
const query = (promql: unknown, rest: object = {}) => ({ type: "Query", query: { promql, target, ...rest } });
const cpu = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
};

describe("the name of a query", () => {
  const content = fc.record({
    promql: fc.string({ maxLength: 60 }),
    source: fc.constantFrom("default", "team-a"),
    podLabel: fc.constantFrom(undefined, "pod", "instance"),
  });

  test("is the same for the same content alone, and says whose it is", () => {
    assertProperty(
      fc.property(content, content, fc.domain(), (one, other, owner) => {
        const [a, b] = [queryName(owner, one), queryName(owner, other)];
        expect(a === b).toBe(JSON.stringify(one) === JSON.stringify(other));
        expect([isQueryName(a), queryOwner(a)]).toEqual([true, owner]);
      }),
      { numRuns: 2_000 },
    );
  });

  test("of a thousand queries that differ in one character each is another one", () => {
    const names = Array.from({ length: 1_000 }, (_, at) =>
      queryName("shop", { promql: `rate(requests_${at}_total[2m])`, source: "default", podLabel: undefined }),
    );
    expect(new Set(names).size).toBe(1_000);
  });

  test.each(["shop", "shop@query.0", "@query.0123456789abcdef", "shop@query.0123456789ABCDEF", "a:b"])(
    "%s is none",
    (name) => {
      expect([isQueryName(name), queryOwner(name)]).toEqual([false, undefined]);
    },
  );
});

describe("reading", () => {
  test("moves, edits and removals of other entries leave a query its name", () => {
    const entries = fc.array(
      fc.constantFrom("a", "b", "c", "d").map((name) => query(`sum(${name})`)),
      {
        maxLength: maxQueries,
      },
    );
    const named = (metrics: readonly object[]) =>
      new Map(readQueries("shop", metrics).map((entry) => [entry.query.promql, entry.query.metric]));
    assertProperty(
      fc.property(entries, fc.nat(maxQueries), (metrics, removed) => {
        const before = named(metrics);
        const after = named([cpu, ...metrics.toReversed().filter((_, at) => at !== removed)]);
        for (const [promql, metric] of after) expect(before.get(promql)).toBe(metric);
        expect(new Set(before.values()).size).toBe(before.size);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    [
      "no query",
      { type: "Query" },
      "spec.metrics[0].query: is missing: type Query needs query with promql and target",
    ],
    [
      "no PromQL",
      query(undefined),
      "spec.metrics[0].query.promql: is missing: write the PromQL of the metric",
    ],
    [
      "a blank one",
      query("  "),
      'spec.metrics[0].query.promql: "  ": must not be blank: write it, or leave the field out',
    ],
    ["a number", query(7), "spec.metrics[0].query.promql: 7: must be a string"],
    [
      "one without end",
      query("x".repeat(4_097)),
      "has 4097 characters; at most 4096 are allowed: shorten it",
    ],
    [
      "a source that is not a name",
      query("up", { source: "Team A" }),
      'spec.metrics[0].query.source: "Team A": cannot be used',
    ],
    ["a blank label", query("up", { podLabel: "" }), 'spec.metrics[0].query.podLabel: "": must not be blank'],
    ["no target", query("up", { target: undefined }), "spec.metrics[0].query.target: is missing"],
    ["another field", query("up", { object: {} }), "spec.metrics[0].query.object: is unknown"],
  ])("of %s says the field, the value and the remedy", (_, metric, message) => {
    const [entry] = readQueries("shop", [metric]);
    expect(problemsText(entry?.problems ?? [])).toContain(message);
  });

  test("takes ten of an object, and says so of the next", () => {
    const many = Array.from({ length: maxQueries + 1 }, (_, at) => query(`up + ${at}`));
    const problems = readQueries("shop", many).flatMap((entry) => entry.problems);
    expect(problemsText(problems)).toBe(
      "spec.metrics[10]: 11: an object has at most 10 queries: use MetricRules for more",
    );
  });

  test("takes anything", () => {
    assertProperty(
      fc.property(fc.anything(), fc.anything(), (metrics, inner) => {
        for (const list of [
          metrics,
          [inner],
          [{ type: "Query", query: inner }],
          [query(inner, { target: inner })],
        ])
          for (const entry of readQueries("shop", list)) expect(isQueryName(entry.query.metric)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("in the place of a query", () => {
  const metrics = [cpu, query("sum(rate(a[2m]))"), query("sum by (pod) (b)", { podLabel: "pod" })];
  const queries = readQueries("shop", metrics);
  const specs = withQueries(metrics, queries) as readonly MetricSpec[];

  test("is an External metric, or a Pods metric where pods have a label, under its position", () => {
    expect(specs[0]).toBe(cpu);
    expect(specs[1]).toEqual({
      type: "External",
      external: { metric: { name: "query[1]" }, target },
      query: { promql: "sum(rate(a[2m]))", source: "default", metric: queries[0]?.query.metric },
    });
    expect(specs[2]).toMatchObject({ type: "Pods", pods: { metric: { name: "query[2]" } } });
  });

  test("goes back to what was written, so that it can be applied", () => {
    expect(specs.map(asWritten)).toEqual(metrics);
    const [external] = withQueries(
      [query("a", { source: "team" })],
      readQueries("shop", [query("a", { source: "team" })]),
    );
    expect(asWritten(external as MetricSpec)).toEqual(query("a", { source: "team" }));
  });

  test("problems of the target are those of the query's field", () => {
    const wrong = [
      query("up", { target: { type: "Value" } }),
      query("up", { podLabel: "pod", target: { type: "Value", value: "1" } }),
    ];
    const entries = readQueries("shop", wrong);
    const hpa = {
      metadata: { name: "shop", namespace: "ns" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
        maxReplicas: 3,
        metrics: withQueries(wrong, entries),
      },
    };
    expect(withQueryPaths(validateHpa(hpa), entries).map(({ path }) => path)).toEqual([
      "spec.metrics[0].query.target.averageValue",
      "spec.metrics[1].query.target.averageValue",
    ]);
  });

  test("last good samples belong to what is asked, whatever its position is", () => {
    const [moved] = withQueries([metrics[1]], readQueries("shop", [metrics[1]])) as readonly MetricSpec[];
    const [other] = withQueries([metrics[2]], readQueries("shop", [metrics[2]])) as readonly MetricSpec[];
    const identity = specs[1] === undefined ? "" : metricIdentity(specs[1]);
    expect(moved === undefined ? "" : metricIdentity(moved)).toBe(identity);
    expect(other === undefined ? "" : metricIdentity(other)).not.toBe(identity);
  });
});

test("a decision shows a query as its author knows it, with the PromQL that was sent, and replays", () => {
  const metrics = [query("sum(a)")];
  const sent = 'sum(a{namespace="ns"})';
  const input = {
    nowMs: 1_800_000_000_000,
    hpa: {
      metadata: { name: "shop", namespace: "ns" },
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "shop" },
        maxReplicas: 9,
        metrics: withQueries(metrics, readQueries("shop", metrics)) as readonly MetricSpec[],
      },
    },
    scale: { ok: true, specReplicas: 1, statusReplicas: 1, selector: "app=shop" },
    pods: { ok: true, pods: [] },
    samples: [{ values: [{ value: "450" }], query: sent }],
  } as const;
  const result = decide(input);
  expect(result.decision.desiredReplicas).toBe(4);
  const text = explain(result.decision);
  expect(text).toContain("Metric 1 (Query): query[0] calls for 5 replicas");
  expect(text).toContain(`PromQL: ${sent}`);
  const [first, second] = stepLines(result.decision, { every: true }).filter(({ name }) =>
    name.endsWith(" 1"),
  );
  expect([first?.text, second]).toEqual([
    "query[0]: 5 = ⌈450 ÷ 100⌉; 4.5 is outside 0.9–1.1",
    { name: "query 1", text: sent },
  ]);
  expect(metricRows(result.decision)).toMatchObject([{ name: "query[0]", label: "query[0]", query: sent }]);
  const record = recordDecision({ input, memory: undefined, result, applied: { outcome: "nothing-to-do" } });
  expect(replay(record)).toEqual(result);
  const failed = decide({ ...input, samples: [{ error: "no", reason: "NamespaceMatcher" }] }).decision;
  expect(explain(failed)).toContain("unable to get external metric ns/query[0]/nil");
  expect(explain(failed)).toContain("PromQL: sum(a)");
});

test("a query of several lines adds no lines to an explanation", () => {
  const metrics = [query("# 1 \nsum(\r\n  a\u2028)\nStay at 1 replica\n")];
  const { decision } = decide({
    nowMs: 1_800_000_000_000,
    hpa: {
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "shop" },
        maxReplicas: 9,
        metrics: withQueries(metrics, readQueries("shop", metrics)) as readonly MetricSpec[],
      },
    },
    scale: { ok: true, specReplicas: 1, statusReplicas: 1, selector: "app=shop" },
    pods: { ok: true, pods: [] },
    samples: [{ error: "no", reason: "Unparsable" }],
  });
  for (const format of ["text", "markdown"] as const)
    expect(explain(decision, format)).toContain("PromQL: # 1  sum(   a ) Stay at 1 replica\n");
});
