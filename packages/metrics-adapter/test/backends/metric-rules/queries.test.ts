import { queryName } from "@plimsoll/core/queries";
import type { FakeHandler } from "@plimsoll/prometheus/testing";
import { vector } from "@plimsoll/prometheus/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { toStatus } from "../../../src/api/status.ts";
import { pod } from "../prometheus/cluster.ts";
import { failureIn, type Harness, required, startHarness } from "../prometheus/harness.ts";
import { fakeRules } from "./fake-rules.ts";

const rules = `
externalRules:
- seriesQuery: 'queue{namespace!=""}'
  resources: {overrides: {namespace: {resource: namespace}}}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>})'
`;
const series = [{ __name__: "queue", namespace: "ns" }];

/** Values follow the query, so that what comes back shows which one was sent. */
const values: Readonly<Record<string, string>> = { first: "1", second: "2", third: "3", fourth: "4" };
const echo: FakeHandler = ({ parameters }) => {
  const query = parameters.get("query") ?? "";
  if (query.includes("nothing")) return vector([]);
  const [, value = "9"] = Object.entries(values).find(([name]) => query.includes(name)) ?? [];
  const isOther = query.includes('"other"');
  return vector([{ labels: { pod: "a" }, value: isOther ? `${value}00` : value }]);
};

const target = { type: "AverageValue", averageValue: "10" };
const query = (promql: string, rest: object = {}) => ({ type: "Query", query: { promql, target, ...rest } });
const nameOf = (promql: string, { owner = "shop", podLabel }: { owner?: string; podLabel?: string } = {}) =>
  queryName(owner, { promql, source: "default", podLabel });

async function setUp(api = fakeRules(), handler: FakeHandler = echo) {
  const harness = await startHarness({
    rules,
    series,
    query: handler,
    objects: { pods: [pod("ns", "a", { app: "x" })] },
    resultMaxAgeMs: 5_000,
    metricRules: api.client,
  });
  onTestFinished(() => harness.stop());
  await harness.clock.advance(200);
  const change = async (make: (autoscalers: typeof api.autoscalers) => void): Promise<void> => {
    make(api.autoscalers);
    await harness.clock.advance(2_000);
  };
  return { harness, api, change };
}

/** The value, or the code with its cause. A request that waits ends with the clock. */
async function ask(harness: Harness, metric: string, namespace = "ns"): Promise<string> {
  const asked = harness.external(metric, namespace);
  await harness.clock.advance(2_000);
  const outcome = await asked;
  if (outcome.ok) return outcome.value.map(({ value }) => value).join(" ");
  return `${outcome.failure.code} ${outcome.failure.cause ?? ""}`.trim();
}

describe("a query of a WorkloadAutoscaler", () => {
  test("is served to its namespace from its creation to its end, and says what was sent", async () => {
    const { harness, change } = await setUp();
    const metric = nameOf("sum(first)");
    await change((autoscalers) => autoscalers.put("ns", "shop", [query("sum(first)")]));
    const outcome = await harness.external(metric);
    expect(outcome.ok && outcome.value).toMatchObject([
      { metric, value: "1", query: 'sum(first{namespace="ns"})' },
    ]);
    expect(await ask(harness, metric, "other")).toBe("ObjectNotFound NotRead");
    expect(required(harness.engine.external).list()).toEqual(["queue"]);
    await change((autoscalers) => autoscalers.remove("ns", "shop"));
    expect(await ask(harness, metric)).toBe("ObjectNotFound NotRead");
    expect(outcome.ok && outcome.freshness?.isFresh()).toBe(false);
  });

  test("that was written a moment ago is waited for", async () => {
    const { harness, api } = await setUp();
    api.autoscalers.put("ns", "shop", [query("sum(first)")]);
    expect(await ask(harness, nameOf("sum(first)"))).toBe("1");
    api.autoscalers.put("ns", "shop", [query("sum(second)")]);
    expect(await ask(harness, nameOf("sum(second)"))).toBe("2");
    expect(await ask(harness, nameOf("sum(first)"))).toBe("ObjectNotFound NotRead");
  });

  test("with a label of pods is a metric of pods, and of no other API", async () => {
    const { harness, change } = await setUp();
    await change((autoscalers) =>
      autoscalers.put("ns", "shop", [query("sum by (pod) (first)", { podLabel: "pod" })]),
    );
    const metric = nameOf("sum by (pod) (first)", { podLabel: "pod" });
    const outcome = await harness.custom({ metric, labelSelector: "app=x" });
    expect(outcome.ok && outcome.value).toMatchObject([
      { name: "a", value: "1", query: 'sum by (pod) (first{namespace="ns"})' },
    ]);
    expect(await ask(harness, metric)).toBe("ObjectNotFound NotRead");
    const nodes = await harness.custom({ metric, groupResource: "nodes" });
    expect(failureIn(nodes)).toMatchObject({ code: "ObjectNotFound", cause: "NotRead" });
  });

  test.each([
    [
      "another namespace's selector",
      query('first{namespace="other"}'),
      "NamespaceMatcher",
      /^query\.promql: /,
    ],
    ["no PromQL", query("first{"), "Unparsable", /^query\.promql: /],
    ["a part that may not be sent", query("info(first)"), "Unsupported", /^query\.promql: /],
    ["a range of a month", query("max_over_time(first[30d])"), "TooCostly", /^query\.promql: a range of 30d/],
    ["a source that is not there", query("first", { source: "team" }), "UnknownSource", /^query\.source: /],
    [
      "a blank label",
      query("first", { podLabel: " " }),
      "InvalidSpec",
      /^query\.podLabel: must not be blank/,
    ],
  ])("with %s is refused, and the Status says why", async (_, metric, cause, message) => {
    const { harness, change } = await setUp();
    await change((autoscalers) => autoscalers.put("ns", "shop", [metric]));
    const {
      promql,
      source = "default",
      podLabel,
    } = metric.query as {
      readonly promql: string;
      readonly source?: string;
      readonly podLabel?: string;
    };
    const failure = failureIn(await harness.external(queryName("shop", { promql, source, podLabel })));
    expect(failure).toMatchObject({ code: "BadRequest", cause });
    expect(failure.message).toMatch(message);
    expect(toStatus(failure).status).toMatchObject({ code: 400, details: { causes: [{ reason: cause }] } });
    expect(harness.queries()).toEqual([]);
  });

  test("without a series says so", async () => {
    const { harness, change } = await setUp();
    await change((autoscalers) => autoscalers.put("ns", "shop", [query("nothing")]));
    expect(await ask(harness, nameOf("nothing"))).toBe("ObjectNotFound NoSeries");
  });
});

describe("never the value of another query", () => {
  test("when an entry is removed from the middle of the list, so that positions shift", async () => {
    const { harness, change } = await setUp();
    const all = ["first", "second", "third"];
    await change((autoscalers) =>
      autoscalers.put(
        "ns",
        "shop",
        all.map((name) => query(name)),
      ),
    );
    expect(await Promise.all(all.map((name) => ask(harness, nameOf(name))))).toEqual(["1", "2", "3"]);
    await change((autoscalers) => autoscalers.put("ns", "shop", [query("first"), query("third")]));
    expect(await Promise.all(all.map((name) => ask(harness, nameOf(name))))).toEqual([
      "1",
      "ObjectNotFound NotRead",
      "3",
    ]);
  });

  test("when the object is deleted and created again with another one", async () => {
    const { harness, api } = await setUp();
    api.autoscalers.put("ns", "shop", [query("first")], { metadata: { uid: "one" } });
    expect(await ask(harness, nameOf("first"))).toBe("1");
    api.autoscalers.remove("ns", "shop");
    api.autoscalers.put("ns", "shop", [query("second")], { metadata: { uid: "two" } });
    const fresh = harness.external(nameOf("second"));
    await harness.clock.advance(2_000);
    expect(await fresh).toMatchObject({ ok: true, value: [{ value: "2" }] });
    expect(await ask(harness, nameOf("first"))).toBe("ObjectNotFound NotRead");
  });

  test("when two namespaces have an object of one name, and when two objects have one query", async () => {
    const { harness, change } = await setUp();
    await change((autoscalers) => {
      autoscalers.put("ns", "shop", [query("first")]);
      autoscalers.put("other", "shop", [query("first")]);
      autoscalers.put("ns", "web", [query("first")]);
    });
    expect(await ask(harness, nameOf("first"))).toBe("1");
    expect(await ask(harness, nameOf("first"), "other")).toBe("100");
    expect(await ask(harness, nameOf("first", { owner: "web" }))).toBe("1");
  });

  test("a MetricRule cannot have the name of a query", async () => {
    const { harness, api } = await setUp();
    const name = nameOf("first");
    api.put("ns", "taken", { type: "External", metric: name, query: "second" });
    await harness.clock.advance(2_000);
    expect(await ask(harness, name)).toBe("ObjectNotFound NotRead");
    await harness.clock.advance(2_000);
    expect(required(harness.engine.external).list()).toEqual(["queue"]);
  });
});

describe("what one namespace brings", () => {
  test("a thousand objects with ten queries each: fifty are served, and another namespace is not delayed", async () => {
    const { harness, api } = await setUp();
    for (let at = 0; at < 1_000; at += 1)
      api.autoscalers.put(
        "hostile",
        `flood-${at}`,
        Array.from({ length: 10 }, (_, n) => query(`fourth + ${n}`)),
      );
    api.autoscalers.put("ns", "shop", [query("first")]);
    expect(await ask(harness, nameOf("first"))).toBe("1");
    await harness.clock.advance(30_000);
    const last = await harness.external(nameOf("fourth + 9", { owner: "flood-999" }), "hostile");
    expect(failureIn(last)).toMatchObject({ code: "BadRequest", cause: "LimitExceeded" });
    expect(failureIn(last).message).toContain("--metric-rule-limit");
    expect(await ask(harness, nameOf("fourth + 0", { owner: "flood-0" }), "hostile")).toBe("4");
  });

  test("requests for queries that are nowhere wait in small numbers", async () => {
    const { harness, change } = await setUp();
    await change((autoscalers) => autoscalers.put("ns", "shop", [query("first")]));
    const asked = Array.from({ length: 300 }, (_, at) => harness.external(nameOf(`x${at}`), "hostile"));
    let ended = 0;
    for (const one of asked) void one.then(() => (ended += 1));
    await harness.clock.advance(0);
    expect(ended).toBe(250);
    expect(await ask(harness, nameOf("first"))).toBe("1");
    for (const outcome of await Promise.all(asked)) expect(failureIn(outcome).cause).toBe("NotRead");
  });

  test("a status that is written changes nothing, whatever its size and pace", async () => {
    const { harness, api, change } = await setUp();
    await change((autoscalers) => autoscalers.put("ns", "shop", [query("first")]));
    const before = await harness.external(nameOf("first"));
    for (let at = 0; at < 20; at += 1) {
      api.autoscalers.put("ns", "shop", [query("first")], { status: { currentReplicas: at } });
      await harness.clock.advance(100);
    }
    expect(before.ok && before.freshness?.isFresh()).toBe(true);
  });
});

describe("a cluster", () => {
  test("without WorkloadAutoscalers serves the rest as ever", async () => {
    const api = fakeRules();
    api.autoscalers.refuse(404);
    api.put("ns", "own", { type: "External", query: "second" });
    const { harness } = await setUp(api);
    await harness.clock.advance(2_000);
    expect([await ask(harness, "own"), await ask(harness, "queue")]).toEqual(["2", "9"]);
    expect(await ask(harness, nameOf("first"))).toBe("ObjectNotFound NotRead");
  });

  test("in which they may not be read says which permission is missing, and serves the rest", async () => {
    const api = fakeRules();
    api.autoscalers.refuse(403);
    api.put("ns", "own", { type: "External", query: "second" });
    const { harness } = await setUp(api);
    await harness.clock.advance(2_000);
    expect(await ask(harness, "own")).toBe("2");
    const failure = failureIn(await harness.external(nameOf("first")));
    expect(failure).toMatchObject({ code: "Unavailable", cause: "NotRead" });
    expect(failure.message).toContain("grant it list and watch on them");
    expect(harness.log.map(({ message }) => message)).toContain(
      "cannot watch WorkloadAutoscalers; their queries are not served",
    );
  });

  test("whose WorkloadAutoscalers are still being listed: a request waits for them a moment", async () => {
    const api = fakeRules();
    let listed = (): void => {};
    api.autoscalers.listAfter(new Promise((resolve) => (listed = resolve)));
    api.autoscalers.put("ns", "shop", [query("first")]);
    const { harness } = await setUp(api);
    expect(await ask(harness, nameOf("first"))).toBe("Unavailable NotRead");
    const asked = harness.external(nameOf("first"));
    await harness.clock.advance(500);
    listed();
    await harness.clock.advance(900);
    expect(await asked).toMatchObject({ ok: true, value: [{ value: "1" }] });
  });

  test("with other adapters: no other one is asked for a query", async () => {
    const { harness } = await setUp();
    const isOwn = harness.engine.owns;
    const external = (namespace: string | undefined) =>
      isOwn({
        namespace,
        resource: undefined,
        metric: nameOf("first"),
      });
    expect([external("ns"), external(undefined)]).toEqual([true, false]);
  });
});
