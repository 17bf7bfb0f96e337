import { manualClock } from "@plimsoll/component-base/testing";
import { parseSelector } from "@plimsoll/core/selector";
import type { InstantResult, VectorSample } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import { compileRule } from "../../src/compile/compile-rule.ts";
import type { CompiledRule } from "../../src/compile/compiled.ts";
import { defaultRuleLimits } from "../../src/compile/limits.ts";
import { readSpec } from "../../src/kind/read-spec.ts";
import { createRuleServer } from "../../src/serve/serve.ts";
import { context, externalSpec, podsSpec, rawRule } from "../rules.ts";

function ruleOf(spec: object): CompiledRule {
  const read = readSpec(rawRule("packets", spec));
  const decided = read.ok
    ? compileRule({ namespace: "shop", name: "packets" }, read.spec, context)
    : undefined;
  if (decided?.type !== "accepted") throw new Error("the rule is refused");
  return decided.rule;
}

const pods = ruleOf(podsSpec());
const external = ruleOf(externalSpec());
const sample = (labels: Record<string, string>, value = 1): VectorSample => ({ labels, value, atMs: 5 });
const vector = (...samples: VectorSample[]): InstantResult => ({
  type: "vector",
  samples,
  warnings: [],
  infos: [],
});
const fresh = { isFresh: () => true, reused: () => {} };
const signal = () => new AbortController().signal;

const serverFor = (result: InstantResult) =>
  createRuleServer(
    {
      cached: () => ({ ok: true, result, freshness: fresh }),
      run: () => Promise.reject(new Error("cached")),
    },
    defaultRuleLimits,
    { clock: manualClock(0) },
  );

interface Wanted {
  readonly names?: readonly string[];
  readonly isList?: boolean;
  readonly selector?: string;
}

async function objects(result: InstantResult, { names = ["a"], isList = false, selector = "" }: Wanted = {}) {
  if (pods.object === undefined) throw new Error("no objects");
  const request = { names, isList, selector: parseSelector(selector), signal };
  const outcome = await serverFor(result).objects(pods, pods.object, request);
  return outcome.ok ? outcome.value : `${outcome.failure.code}: ${outcome.failure.message}`;
}

async function values(result: InstantResult, selector = "") {
  const outcome = await serverFor(result).external(external, { selector: parseSelector(selector), signal });
  return outcome.ok
    ? outcome.value.values.map(({ value }) => value)
    : `${outcome.failure.code}: ${outcome.failure.message}`;
}

test("each object gets the value of its own series, and of no name that was not asked for", async () => {
  const result = vector(sample({ pod: "a" }, 1.5), sample({ pod: "b" }, 2), sample({ pod: "foreign" }, 3));
  expect(await objects(result, { names: ["a", "b", "c"], isList: true })).toEqual({
    values: [
      { name: "a", value: "1500m", atMs: 5 },
      { name: "b", value: "2", atMs: 5 },
    ],
    dropped: { notANumber: 0, otherNamespace: 0, severalSeries: 0 },
  });
});

test("series that a query has labelled as another namespace's are dropped", async () => {
  const result = vector(sample({ pod: "a", namespace: "other" }), sample({ pod: "b", namespace: "shop" }));
  expect(await objects(result, { names: ["a", "b"], isList: true })).toMatchObject({
    values: [{ name: "b" }],
    dropped: { otherNamespace: 1 },
  });
  expect(await values(vector(sample({ namespace: "other" }, 1), sample({}, 2)))).toEqual(["2"]);
});

test("an object without a usable value is an error by itself, and missing in a list", async () => {
  expect(await objects(vector())).toBe(
    'ObjectNotFound: the server could not find the metric packets for pods a: there is no series with pod="a" (the query returned no series)',
  );
  expect(await objects(vector(sample({ Pod: "a" })))).toMatch(
    /there is no series with pod="a" \(a series of the query: \{Pod="a"\}\)$/,
  );
  expect(await objects(vector(sample({ pod: "a" }, Number.NaN)))).toMatch(/: its value is NaN$/);
  expect(await objects(vector(sample({ pod: "a" }, Number.NaN)), { isList: true })).toMatchObject({
    values: [],
    dropped: { notANumber: 1 },
  });
});

test("two series for one object are no value", async () => {
  const double = [sample({ pod: "a", x: "1" }), sample({ pod: "a", x: "2" })];
  expect(await objects(vector(...double))).toMatch(
    /^Internal: .* gives several series for pods a: \{pod="a", x="1"\} and \{pod="a", x="2"\}$/,
  );
  const wanted = { names: ["a", "b"], isList: true };
  expect(await objects(vector(...double, sample({ pod: "b" })), wanted)).toMatchObject({
    values: [{ name: "b" }],
    dropped: { severalSeries: 2 },
  });
});

test("a metric selector chooses among the series of the result", async () => {
  const result = vector(
    sample({ queue: "a" }, 1),
    sample({ queue: "b" }, 2),
    sample({ queue: "c", tier: "x" }, 4),
  );
  expect(await values(result, "queue=b")).toEqual(["2"]);
  expect(await values(result, "queue in (a,b)")).toEqual(["1", "2"]);
  expect(await values(result, "queue!=a")).toEqual(["2", "4"]);
  expect(await values(result, "tier")).toEqual(["4"]);
  expect(await values(result, "tier!=x")).toEqual(["1", "2"]);
  expect(await values(result, "queue=other")).toEqual([]);
});

test("a label that the query does not keep is a bad request, whatever the operator", async () => {
  for (const selector of ["region=eu", "region!=eu", "!region", "region in (a)"])
    expect(await values(vector(sample({ queue: "a", tier: "x" })), selector)).toBe(
      'BadRequest: the metric selector names the label "region", which the query of the MetricRule shop/packets does not keep (it has queue, tier): add it to the query\'s "by", or remove it from the selector',
    );
  expect(await values({ type: "scalar", value: 1, atMs: 5, warnings: [], infos: [] }, "a=b")).toMatch(
    /^BadRequest: .* \(it has none\)/,
  );
  expect(await objects(vector(sample({ pod: "a" })), { selector: "version=2" })).toMatch(/^BadRequest/);
});

test("values of no object are all usable, or none is", async () => {
  expect(await values(vector(sample({}, 1), sample({ a: "b" }, Number.POSITIVE_INFINITY)))).toBe(
    'ObjectNotFound: the metric packets has no usable value: {a="b"} is Infinity',
  );
  expect(await values({ type: "scalar", value: 2, atMs: 5, warnings: [], infos: [] })).toEqual(["2"]);
  expect(await values({ type: "matrix", series: [], warnings: [], infos: [] })).toMatch(
    /gives a matrix, not current values$/,
  );
  expect(await values({ ...vector(sample({})), warnings: ["some store is away"] })).toMatch(
    /^Unavailable: .* only part of the data: some store is away$/,
  );
});

test("an answer with too many series is an error with the figure", async () => {
  const result = vector(...Array.from({ length: 10_001 }, (_, at) => sample({ pod: `p${at}` })));
  expect(await objects(result)).toBe(
    "Internal: unable to fetch metrics: the query of the MetricRule shop/packets gives 10001 series, more than 10000: aggregate them",
  );
});

test("a query that gave too many series is not sent again at once, and its result is not kept", async () => {
  const clock = manualClock(0);
  const sent: string[] = [];
  const result = vector(...Array.from({ length: 4 }, (_, at) => sample({ pod: String(at) })));
  const server = createRuleServer(
    {
      cached: () => undefined,
      run: async ({ rule, maxSeries }) => {
        sent.push(`${rule.query} ${maxSeries}`);
        return { ok: true, result, freshness: fresh };
      },
    },
    { ...defaultRuleLimits, maxSeries: 3 },
    { clock },
  );
  const ask = async (rule: CompiledRule) => {
    const outcome = await server.external(rule, { selector: parseSelector(""), signal });
    return outcome.ok ? "ok" : outcome.failure.message;
  };
  const first = await ask(external);
  expect(first).toContain("gives 4 series, more than 3");
  expect(await ask(external)).toBe(first);
  expect(sent).toEqual(['queue_length{namespace="shop"} 3']);
  expect(await ask(ruleOf(externalSpec("other")))).toContain("gives 4 series");
  expect(sent).toHaveLength(2);
  await clock.advance(15_000);
  expect(await ask(external)).toBe(first);
  expect(sent).toHaveLength(3);
});
