import { queryName } from "@plimsoll/core/queries";
import { eventually } from "@plimsoll/testbed/world";
import { describe, expect, test } from "vitest";
import type { QueryStatus } from "../../src/reconcile/evaluate/query-status.ts";
import { type FakeApi, failure } from "../fake-api.ts";
import { rig, writes } from "../harness.ts";
import { conditions, replicas, setUp, target, wla } from "./workload-autoscalers.ts";

const average = (value: string) => ({ type: "AverageValue", averageValue: value });
const query = (promql: string, rest: object = {}) => ({
  type: "Query",
  query: { promql, target: average("10"), ...rest },
});
const nameOf = (promql: string, podLabel?: string) =>
  queryName("shop", { promql, source: "default", podLabel });
const externalPath = (promql: string) =>
  `/apis/external.metrics.k8s.io/v1beta1/namespaces/default/${nameOf(promql)}`;
const sent = (promql: string) => `${promql} of default`;

/** As metrics-adapter answers for a query. */
function serve(api: FakeApi, promql: string, value: string): void {
  const timestamp = new Date().toISOString();
  api.metrics.set(externalPath(promql), { query: sent(promql), items: [{ value, timestamp }] });
}

const statusOf = (api: FakeApi) =>
  api.get("workloadautoscalers", "default", "shop").status as {
    readonly targets: string;
    readonly queries?: readonly QueryStatus[];
    readonly currentMetrics: readonly object[];
  };

/** The conditions of each query, as "True Accepted". */
const queriesOf = (api: FakeApi) =>
  (statusOf(api).queries ?? []).map(({ name, query: promql, conditions: list }) => [
    name,
    promql,
    ...list.map(({ status, reason }) => `${status} ${reason}`),
  ]);

const start = (metrics: readonly object[], served: Readonly<Record<string, string>>, spec: object = {}) =>
  rig({
    before: (api) => {
      target(api, "shop", "20");
      for (const [promql, value] of Object.entries(served)) serve(api, promql, value);
      api.put("workloadautoscalers", wla("shop", { metrics, ...spec }));
    },
  });

test("a query scales as an External metric does, and its status, decision and record show it", async () => {
  const { api, autoscaler, inputs } = await start([query("sum(a)")], { "sum(a)": "60" });
  await autoscaler.sync();
  expect(replicas(api)).toBe(6);
  expect(queriesOf(api)).toEqual([["query[0]", sent("sum(a)"), "True Accepted", "True Resolved"]]);
  expect(statusOf(api)).toMatchObject({
    targets: "20/10 (avg)",
    queries: [{ metric: nameOf("sum(a)") }],
    currentMetrics: [
      { type: "External", external: { metric: { name: "query[0]" }, current: { averageValue: "20" } } },
    ],
  });
  expect(api.list("events")).toMatchObject([{ message: expect.stringContaining("query[0]") }]);
  const [logged] = autoscaler.decisions.of("default", "shop", "workloadautoscalers");
  expect(logged?.decision.trace).toContainEqual(
    expect.objectContaining({ kind: "metric", query: sent("sum(a)"), replicas: 6 }),
  );
  expect(inputs.at(-1)).toMatchObject({
    hpa: { spec: { metrics: [{ query: { promql: "sum(a)", source: "default" } }] } },
    samples: [{ query: sent("sum(a)") }],
  });
  const stored = api.get("workloadautoscalers", "default", "shop").spec;
  expect(stored).toMatchObject({ metrics: [query("sum(a)")] });
});

test("with a label of pods it scales as a Pods metric does", async () => {
  const { api, autoscaler } = await start([query("sum by (pod) (a)", { podLabel: "pod" })], {});
  const timestamp = new Date().toISOString();
  api.metrics.set(
    `/apis/custom.metrics.k8s.io/v1beta2/namespaces/default/pods/*/${nameOf("sum by (pod) (a)", "pod")}`,
    {
      query: "sent",
      items: [0, 1, 2].map((n) => ({ describedObject: { name: `shop-${n}` }, timestamp, value: "15" })),
    },
  );
  await autoscaler.sync();
  expect(replicas(api)).toBe(5);
  expect(queriesOf(api)).toEqual([["query[0]", "sent", "True Accepted", "True Resolved"]]);
});

test("what does not change is written once", async () => {
  const { api, autoscaler } = await start([query("sum(a)")], { "sum(a)": "30" });
  await autoscaler.sync();
  expect(writes(api)).toHaveLength(1);
  for (let n = 0; n < 3; n += 1) await autoscaler.sync();
  expect(writes(api)).toHaveLength(1);
});

test.each(["Shadow", "Paused"])("in mode %s its queries show all the same", async (mode) => {
  const { api, autoscaler } = await start([query("sum(a)")], { "sum(a)": "60" }, { mode });
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  expect(queriesOf(api)).toEqual([["query[0]", sent("sum(a)"), "True Accepted", "True Resolved"]]);
});

describe("what is wrong with a query", () => {
  const refusal = (code: number, reason: string | undefined, message: string) => ({
    code,
    body: {
      kind: "Status",
      status: "Failure",
      code,
      message,
      reason: "BadRequest",
      ...(reason === undefined ? {} : { details: { causes: [{ reason, message }] } }),
    },
  });
  const message = "query.promql: a selector has a matcher of namespace: remove it";

  test.each([
    ["is refused", 400, "NamespaceMatcher", ["False NamespaceMatcher", "False NotAccepted"]],
    ["gives nothing", 404, "NoSeries", ["True Accepted", "False NoSeries"]],
    ["failed", 503, "QueryFailed", ["True Accepted", "False QueryFailed"]],
    ["is unknown yet", 404, "NotRead", ["Unknown NotChecked", "False NotRead"]],
    ["failed without a reason", 503, undefined, ["Unknown NotChecked", "False QueryFailed"]],
  ])("that %s shows in its conditions, with the adapter's words", async (_, code, reason, expected) => {
    const { api, autoscaler } = await start([query("sum(a)")], {});
    api.script("GET", /external\.metrics/, () => refusal(code, reason, message), 100);
    await autoscaler.sync();
    expect(queriesOf(api)).toEqual([["query[0]", undefined, ...expected]]);
    expect(JSON.stringify(statusOf(api).queries)).toContain(message);
    expect(conditions(api)).toMatchObject({ Ready: "False FailedGetExternalMetric" });
    expect(replicas(api)).toBe(3);
    await eventually(() =>
      expect(JSON.stringify(api.list("events"))).toContain(
        "unable to get external metric default/query[0]/nil: unable to fetch metrics from external metrics API: ",
      ),
    );
  });

  test.each([
    [
      "an adapter that does not know the name",
      (api: FakeApi) => api.script("GET", /external\.metrics/, () => failure(404, "NotFound", "no"), 100),
    ],
    [
      "an adapter that serves any name",
      (api: FakeApi) => void api.metrics.set(externalPath("sum(a)"), { items: [{ value: "990" }] }),
    ],
  ])("behind %s the conditions say who has to be there", async (_, answer) => {
    const { api, autoscaler } = await start([query("sum(a)")], {});
    answer(api);
    await autoscaler.sync();
    expect(replicas(api)).toBe(3);
    expect(queriesOf(api)).toEqual([["query[0]", undefined, "False NotServed", "False NotAccepted"]]);
    const { conditions: all } = api.get("workloadautoscalers", "default", "shop").status as {
      readonly conditions: readonly { readonly type: string; readonly message: string }[];
    };
    expect(all.find(({ type }) => type === "Ready")?.message).toContain(
      "Plimsoll's metrics-adapter with --metric-rules=true serves queries of WorkloadAutoscalers",
    );
  });

  test("behind no custom metrics API a query of pods says the same", async () => {
    const { api, autoscaler } = await start([query("a", { podLabel: "pod" })], {});
    api.groups.delete("custom.metrics.k8s.io/v1beta2");
    await autoscaler.sync();
    expect(queriesOf(api)).toEqual([["query[0]", undefined, "False NotServed", "False NotAccepted"]]);
  });

  test.each([
    [query(" "), 'spec.metrics[0].query.promql: " ": must not be blank'],
    [
      query("a", { target: average("-1") }),
      'spec.metrics[0].query.target.averageValue: "-1": must be positive',
    ],
    [
      query("a", { podLabel: "pod", target: { type: "Value", value: "1" } }),
      "spec.metrics[0].query.target.averageValue",
    ],
    [query("a", { source: "A" }), 'spec.metrics[0].query.source: "A": cannot be used'],
  ])("that the definition let through is not acted on: %j", async (metric, said) => {
    const { api, autoscaler } = await setUp({ metrics: [metric] });
    await autoscaler.sync();
    expect(replicas(api)).toBe(3);
    expect(conditions(api)).toMatchObject({ Ready: "False InvalidSpec", Active: "False InvalidSpec" });
    expect(JSON.stringify(api.list("events")).replaceAll('\\"', '"')).toContain(said);
  });
});

test("an entry that is removed from the middle of the list leaves the others their own values", async () => {
  const policy = { onMetricFailure: { policy: "HoldLast", forSeconds: 600 } };
  const three = ["a", "b", "c"].map((name) => ({ ...query(`sum(${name})`), ...policy }));
  const { api, autoscaler, inputs } = await start(three, { "sum(a)": "30", "sum(b)": "60", "sum(c)": "30" });
  await autoscaler.sync();
  expect(replicas(api)).toBe(6);
  // What has the position of b from here on cannot be read: the last value of b must not be taken for it.
  api.metrics.delete(externalPath("sum(c)"));
  api.put("workloadautoscalers", wla("shop", { metrics: [three[0], three[2]] }));
  await autoscaler.sync();
  await eventually(() => expect(inputs.at(-1)?.hpa.spec.metrics).toHaveLength(2));
  const logged = autoscaler.decisions.of("default", "shop", "workloadautoscalers").at(-1);
  const metrics = (logged?.decision.trace ?? []).filter((step) => step.kind === "metric");
  expect(metrics).toMatchObject([
    { query: sent("sum(a)"), replicas: 3 },
    { query: sent("sum(c)"), values: ["30"], replicas: 3 },
  ]);
  expect(queriesOf(api).map(([name, promql]) => [name, promql])).toEqual([
    ["query[0]", sent("sum(a)")],
    ["query[1]", undefined],
  ]);
});

describe("a status that another definition or another client left", () => {
  test("without the field that an older definition drops it is not written at each evaluation", async () => {
    // As an older definition leaves an entry: its source is dropped too.
    const { api, autoscaler } = await start([{ type: "Query" }], {});
    await autoscaler.sync();
    expect(conditions(api)).toMatchObject({ Ready: "False InvalidSpec" });
    for (let n = 0; n < 3; n += 1) {
      const { queries: _, ...status } = statusOf(api);
      api.put("workloadautoscalers", { ...api.get("workloadautoscalers", "default", "shop"), status });
      await autoscaler.sync();
    }
    expect(writes(api).filter((line) => line.endsWith("/status"))).toHaveLength(1);
  });

  test.each([
    ["without conditions", (metric: string) => [{ name: "query[0]", metric }]],
    [
      "with an entry that is null",
      (metric: string) => [null, { name: "query[0]", metric, conditions: null }],
    ],
    ["that is not a list", () => ({})],
  ])("%s is replaced", async (_, queries) => {
    const { api, autoscaler } = await start([query("sum(a)")], { "sum(a)": "60" });
    const object = api.get("workloadautoscalers", "default", "shop");
    api.put("workloadautoscalers", { ...object, status: { queries: queries(nameOf("sum(a)")) } });
    await autoscaler.sync();
    expect(replicas(api)).toBe(6);
    expect(queriesOf(api)).toEqual([["query[0]", sent("sum(a)"), "True Accepted", "True Resolved"]]);
  });
});
