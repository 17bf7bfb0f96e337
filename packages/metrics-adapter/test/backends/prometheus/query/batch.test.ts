import { failure, vector } from "@plimsoll/prometheus/testing";
import { Registry } from "prom-client";
import { afterEach, expect, test } from "vitest";
import { pod } from "../cluster.ts";
import { type Harness, type HarnessOptions, startHarness, valueOf } from "../harness.ts";

const byPod = "resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}";
const rules = `rules: [{seriesQuery: hits, ${byPod}, metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)'}]`;
const apps = ["a", "b", "c"];
const objects = {
  pods: apps.flatMap((app) => [
    pod("ns", `${app}1`, { app }),
    pod("ns", `${app}2`, { app }),
    pod("other", app, { app }),
  ]),
};
const wide = 'sum(rate(hits{namespace="ns",pod!=""}[1m])) by (pod)';

/** Of many more pods than those of the apps. */
const large = Array.from({ length: 200 }, (_, at) => `x${at}`);

let harness: Harness;
let registry: Registry;
afterEach(() => harness.stop());

async function start(options: Partial<HarnessOptions> = {}): Promise<void> {
  registry = new Registry();
  harness = await startHarness({
    rules,
    registry,
    series: [{ __name__: "hits", namespace: "ns", pod: "a1" }],
    objects,
    query: answerFor(["a1", "a2", "b1", "b2", "c1", "c2"]),
    resultMaxAgeMs: 5_000,
    ...options,
  });
}

/** Prometheus with a sample for each of these pods. */
function answerFor(names: readonly string[]) {
  return () => {
    const atSeconds = harness.clock.nowMs() / 1000;
    return vector(names.map((name, at) => ({ labels: { pod: name }, value: String(at), atSeconds })));
  };
}

async function ask(app: string, namespace = "ns"): Promise<readonly string[]> {
  const outcome = await harness.custom({ metric: "hits", labelSelector: `app=${app}`, namespace });
  return valueOf(outcome).map(({ name, value }) => `${name}=${value}`);
}

async function answered(source: string): Promise<number> {
  const text = await registry.metrics();
  return Number(new RegExp(`plimsoll_adapter_queries_total\\{source="${source}"\\} (\\d+)`).exec(text)?.[1]);
}

test("one autoscaler in a namespace queries its own pods only", async () => {
  await start({ query: answerFor(["a1", "a2"]) });
  expect(await ask("a")).toEqual(["a1=0", "a2=1"]);
  await harness.clock.advance(15_000);
  await ask("a");
  expect(new Set(harness.queries())).toEqual(
    new Set(['sum(rate(hits{namespace="ns",pod=~"a1|a2"}[1m])) by (pod)']),
  );
});

test("several in a namespace share one query, each with its own pods out of it", async () => {
  await start();
  await ask("a");
  expect([await ask("b"), await ask("c"), await ask("a")]).toEqual([
    ["b1=2", "b2=3"],
    ["c1=4", "c2=5"],
    ["a1=0", "a2=1"],
  ]);
  expect(harness.queries()).toEqual(['sum(rate(hits{namespace="ns",pod=~"a1|a2"}[1m])) by (pod)', wide]);
  await harness.clock.advance(15_000);
  await Promise.all(apps.map((app) => ask(app)));
  expect(harness.queries().slice(2)).toEqual([wide]);
  expect([await answered("prometheus"), await answered("batch")]).toEqual([3, 4]);
});

test("a response is never shared beyond its age", async () => {
  await start();
  await ask("a");
  await ask("b");
  await harness.clock.advance(5_000);
  await ask("c");
  expect(harness.queries()).toHaveLength(2);
  await harness.clock.advance(1);
  await ask("c");
  expect(harness.queries()).toHaveLength(3);
});

test("samples that are older than the bound when they come are never given again", async () => {
  await start({
    query: () => vector([{ labels: { pod: "a1" }, value: "1", atSeconds: harness.clock.nowMs() / 1000 - 6 }]),
  });
  await ask("a");
  await ask("a");
  expect(harness.queries()).toHaveLength(2);
  const said = harness.log.filter(({ message }) => message.includes("too old to be cached"));
  expect(said).toHaveLength(1);
});

test("namespaces do not share", async () => {
  await start();
  await ask("a");
  await ask("b");
  await ask("a", "other");
  expect(harness.queries().at(-1)).toBe('sum(rate(hits{namespace="other",pod="a"}[1m])) by (pod)');
});

test("a namespace too large for Prometheus is queried in parts, for a while without another try", async () => {
  await start({
    query: (request) =>
      request.parameters.get("query") === wide
        ? failure(422, "execution", "query processing would load too many samples into memory")
        : vector([]),
  });
  await ask("a");
  expect(await ask("b")).toEqual([]);
  await harness.clock.advance(15_000);
  await ask("c");
  expect(harness.queries().filter((promql) => promql === wide)).toHaveLength(1);
  expect(harness.queries()).toHaveLength(4);
});

test("a small share of a large namespace is queried by name", async () => {
  await start({ query: answerFor(large) });
  await ask("a");
  await ask("b");
  expect(harness.queries().at(-1)).toBe(wide);
  await harness.clock.advance(15_000);
  await ask("a");
  await ask("b");
  expect(
    harness
      .queries()
      .slice(2)
      .some((promql) => promql === wide),
  ).toBe(false);
});

test("autoscalers that come far apart have a query each, and those that come together share one", async () => {
  const names = Array.from({ length: 120 }, (_, at) => `x${at}`);
  await start({ query: answerFor(names) });
  const batches = (): number => harness.queries().filter((promql) => promql === wide).length;
  for (let round = 0; round < 4; round += 1) {
    for (const app of apps) {
      await harness.clock.advance(5_001);
      await ask(app);
    }
    // The first one, which shows how large the namespace is.
    expect(batches()).toBe(1);
  }
  for (const app of apps) await ask(app);
  expect(batches()).toBe(2);
  await harness.clock.advance(15_000);
  const before = harness.queries().length;
  for (const app of apps) await ask(app);
  expect(harness.queries().slice(before)).toEqual([wide]);
});

test("who comes again soon is given the result of its own query, which is there", async () => {
  await start({ query: answerFor(Array.from({ length: 120 }, (_, at) => `x${at}`)) });
  for (let round = 0; round < 3; round += 1) {
    for (const app of apps) {
      await harness.clock.advance(5_001);
      await ask(app);
    }
  }
  const before = harness.queries().length;
  await ask("c");
  expect(harness.queries()).toHaveLength(before);
});

test("a batched result that is there is given, also to who would have a query of its own", async () => {
  await start({ query: answerFor(large) });
  await ask("a");
  await ask("b");
  expect(harness.queries().at(-1)).toBe(wide);
  await harness.clock.advance(5_000);
  await ask("c");
  expect(harness.queries()).toHaveLength(2);
});

test("a namespace whose samples would hold up other requests is queried by name", async () => {
  const names = Array.from({ length: 4_001 }, (_, at) => `x${at}`);
  const many = Array.from({ length: 40 }, (_, at) => `app${at}`);
  const pods = many.flatMap((app) =>
    Array.from({ length: 100 }, (_, at) => pod("ns", `${app}-${at}`, { app })),
  );
  await start({ objects: { pods }, query: answerFor(names) });
  for (let round = 0; round < 2; round += 1) {
    for (const app of many) await ask(app);
    await harness.clock.advance(15_000);
  }
  expect(harness.queries().filter((promql) => promql === wide)).toHaveLength(1);
});

test.each([
  "sum(<<.Series>>{<<.LabelMatchers>>})",
  "topk(1, <<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)",
  'sum(<<.Series>>{namespace="<<index .LabelValuesByName "namespace">>",pod=~"<<.LabelValuesByName.pod>>"}) by (pod)',
  "sum(a{<<.LabelMatchers>>} / b{<<.LabelMatchers>>}) by (<<.GroupBy>>)",
  "<<.Series>>{<<.LabelMatchers>>} * on (pod) group_left () limits",
  "absent(<<.Series>>{<<.LabelMatchers>>})",
  "<<if .Series>>sum(<<.Series>>{<<.LabelMatchers>>}) by (pod)<<end>>",
])("what another object's series could change is asked exactly: %s", async (query) => {
  await start({
    rules: `rules: [{seriesQuery: hits, ${byPod}, metricsQuery: ${JSON.stringify(query)}}]`,
    query: () => vector([]),
  });
  for (const app of [...apps, ...apps]) await ask(app);
  expect(harness.queries().every((promql) => !promql.includes('pod!=""'))).toBe(true);
  expect(new Set(harness.queries()).size).toBeGreaterThanOrEqual(query.includes(".LabelMatchers") ? 3 : 1);
});

test("usage of pods is shared like any other metric, however many containers they have", async () => {
  const resources =
    "resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}, node: {resource: node}}}";
  await start({
    rules: `
resourceRules:
  cpu: {containerQuery: 'sum(rate(cpu{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)', ${resources}, containerLabel: container}
  memory: {containerQuery: 'sum(memory{<<.LabelMatchers>>}) by (<<.GroupBy>>)', ${resources}, containerLabel: container}
  window: 1m
`,
    query: () =>
      vector(
        ["a1", "a2", "b1", "b2"].flatMap((name) =>
          ["main", "proxy", "agent", "logs", "secrets"].map((container) => ({
            labels: { pod: name, container },
            value: "1",
            atSeconds: harness.clock.nowMs() / 1000,
          })),
        ),
      ),
  });
  const usage = async (app: string) =>
    valueOf(
      await (harness.engine.resource?.pods({
        namespace: "ns",
        labelSelector: `app=${app}`,
        fieldSelector: "",
        signal: () => new AbortController().signal,
      }) ?? Promise.reject(new Error("no resource metrics"))),
    ).map(({ name }) => name);
  expect([await usage("a"), await usage("b"), await usage("c"), await usage("a")]).toEqual([
    ["a1", "a2"],
    ["b1", "b2"],
    [],
    ["a1", "a2"],
  ]);
  expect(harness.queries().filter((promql) => promql.includes('pod!=""'))).toHaveLength(2);
  expect(harness.queries()).toHaveLength(4);
  await harness.clock.advance(15_000);
  await Promise.all(apps.map(usage));
  expect(harness.queries().slice(4)).toEqual([
    'sum(rate(cpu{namespace="ns",pod!=""}[1m])) by (pod,container)',
    'sum(memory{namespace="ns",pod!=""}) by (pod,container)',
  ]);
});
