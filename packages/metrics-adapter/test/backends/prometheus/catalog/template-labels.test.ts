import { vector } from "@plimsoll/prometheus/testing";
import { afterEach, expect, test } from "vitest";
import { failureIn, type Harness, startHarness, valueOf, waitFor } from "../harness.ts";

const rules = (resources: string): string =>
  `rules: [{seriesQuery: '{namespace!=""}', ${resources}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'}]`;
const template = "resources: {template: <<.Resource>>}";

const honest = { __name__: "load", namespace: "shop", pod: "a" };

let harness: Harness;

afterEach(() => harness.stop());

async function start(
  resources: string,
  ...others: readonly Readonly<Record<string, string>>[]
): Promise<void> {
  harness = await startHarness({
    rules: rules(resources),
    series: [honest, ...others.map((labels) => ({ __name__: "load", ...labels }))],
    query: ({ parameters }) => {
      // Only a query by the labels of the template finds the shop's own series.
      const promql = parameters.get("query") ?? "";
      if (promql === 'sum(load{namespace="shop",pod="a"}) by (pod)')
        return vector([{ labels: { pod: "a" }, value: "1" }]);
      if (promql === 'sum(load{namespace="shop"}) by (namespace)')
        return vector([{ labels: { namespace: "shop" }, value: "1" }]);
      return vector(promql.includes("Namespace") ? [{ labels: { Namespace: "shop" }, value: "666" }] : []);
    },
  });
}

function said(): readonly unknown[] {
  return harness.log
    .filter(({ message }) => message === "a rule needs attention")
    .map(({ fields }) => ("warning" in fields ? fields.warning : undefined));
}

test.each([
  ["another case", { Pod: "a" }],
  ["another case and a pod of its own", { pod: "b", Pod: "b" }],
  ["the plural", { pods: "a" }],
  ["a group", { pod: "b", POD: "x", PODS: "y" }],
])("a label that one series of another namespace has changes no request for pods: %s", async (_, labels) => {
  await start(template, { namespace: "other", ...labels });
  expect(valueOf(await harness.custom({ namespace: "shop", metric: "load", name: "a" }))).toMatchObject([
    { name: "a", value: "1" },
  ]);
  expect(harness.queries()).toEqual(['sum(load{namespace="shop",pod="a"}) by (pod)']);
});

test("a Namespace metric cannot be forged by a label that reads as a namespace", async () => {
  await start(template, { namespace: "other", Namespace: "shop" });
  const values = valueOf(
    await harness.custom({ groupResource: "namespaces", namespace: undefined, name: "shop", metric: "load" }),
  );
  expect(values.map(({ value }) => value)).toEqual(["1"]);
  expect(harness.queries()).toEqual(['sum(load{namespace="shop"}) by (namespace)']);
});

test("the operator hears of such labels once, however many there are", async () => {
  await start(template, { namespace: "other", Pod: "x" }, { namespace: "other", pOd: "x", POD: "y" });
  const warning = "another label maps to pods: only pod is used in queries";
  expect(said()).toEqual([warning]);
  const before = harness.fake.requests.length;
  await harness.clock.advance(60_000);
  await waitFor(() => harness.fake.requests.length > before + 1);
  expect(said()).toEqual([warning]);
});

test("a metric whose series have such a label only has no values", async () => {
  await start(template, { __name__: "made_up", namespace: "other", Pod: "a" });
  const failure = failureIn(await harness.custom({ namespace: "shop", metric: "made_up", name: "a" }));
  expect(failure.code).toBe("ObjectNotFound");
  expect(harness.queries()).toEqual(['sum(made_up{namespace="shop",pod="a"}) by (pod)']);
});

test("where an override names the label, the template's is not queried", async () => {
  await start(
    "resources: {template: <<.Resource>>, overrides: {namespace: {resource: namespace}, pod: {resource: pod}, second: {resource: pod}}}",
    { namespace: "other", second: "a", pods: "b" },
  );
  await harness.custom({ namespace: "shop", metric: "load", name: "a" });
  expect(harness.queries()).toEqual(['sum(load{namespace="shop",pod="a"}) by (pod)']);
  expect(harness.engine.custom?.list().map(({ groupResource }) => groupResource)).toEqual([
    "namespaces",
    "pods",
  ]);
});

test("a resource's name in a thousand spellings makes a few requests of a relist", async () => {
  const spellings = Array.from({ length: 1_000 }, (_, at) =>
    "persistentvolume".replaceAll(/./g, (letter, bit: number) =>
      (at >> bit) & 1 ? letter.toUpperCase() : letter,
    ),
  );
  await start(template, ...spellings.map((label) => ({ namespace: "other", [label]: "a" })));
  expect(harness.fake.requests.length).toBeLessThanOrEqual(12);
  expect(harness.engine.custom?.list().map(({ groupResource }) => groupResource)).toContain("pods");
});
