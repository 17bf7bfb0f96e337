import { manualClock } from "@plimsoll/component-base/testing";
import type { MetricSpec } from "@plimsoll/core";
import { readQueries, withQueries } from "@plimsoll/core/queries";
import type { RestMapper } from "@plimsoll/kube";
import { inProcessClient } from "@plimsoll/kube/testing";
import { expect, test } from "vitest";
import { createMetricsClient } from "../../src/metrics/client.ts";
import { shareForPass } from "../../src/metrics/share.ts";

const target = { type: "AverageValue", averageValue: "10" };
const entries = [
  { type: "Query", query: { promql: "sum(a)", target } },
  { type: "Query", query: { promql: "sum by (pod) (a)", podLabel: "pod", target } },
];
const [whole, ofPods] = withQueries(entries, readQueries("shop", entries)) as readonly [
  MetricSpec,
  MetricSpec,
];

/** A client of a server that gives every request this response. */
function clientOf(code: number, body: object, versions: readonly string[] = ["v1beta2"]) {
  const clock = manualClock(0);
  const paths: string[] = [];
  const client = inProcessClient({
    clock,
    respond: async ({ path }) => {
      paths.push(path);
      return { code, body };
    },
  });
  const share = shareForPass();
  const nothing = () => undefined;
  const mapper = { groupVersions: () => Promise.resolve(versions) } as Partial<RestMapper> as RestMapper;
  const metrics = createMetricsClient({
    client,
    mapper,
    clock,
    random: () => 0,
    batches: share,
    onCall: nothing,
    onBackoff: nothing,
    onResume: nothing,
  });
  const fetch = (metric: MetricSpec) =>
    metrics.fetch({
      namespace: "ns",
      metric,
      podSelector: "app=shop",
      batch: undefined,
      share,
      withinMs: undefined,
    });
  return { fetch, paths };
}

const failed = (code: number, reason?: string) => ({
  kind: "Status",
  status: "Failure",
  code,
  reason: "NotFound",
  message: "what the adapter says",
  ...(reason === undefined ? {} : { details: { causes: [{ reason, message: "what the adapter says" }] } }),
});

test("a query is asked for under the name of its content, and its values come with what was sent", async () => {
  const { fetch, paths } = clientOf(200, { query: "sent", items: [{ value: "4" }] });
  expect(await fetch(whole)).toEqual({ values: [{ value: "4" }], query: "sent" });
  expect(paths).toEqual([`/apis/external.metrics.k8s.io/v1beta1/namespaces/ns/${whole.query?.metric}`]);
  const pods = clientOf(200, { query: "sent", items: [{ describedObject: { name: "a" }, value: "2" }] });
  expect(await pods.fetch(ofPods)).toEqual({ pods: [{ name: "a", value: "2" }], query: "sent" });
  expect(pods.paths).toEqual([
    `/apis/custom.metrics.k8s.io/v1beta2/namespaces/ns/pods/*/${ofPods.query?.metric}`,
  ]);
});

test("any other metric is as ever, whatever else the response has", async () => {
  const external: MetricSpec = { type: "External", external: { metric: { name: "queue" }, target } };
  const { fetch } = clientOf(200, { query: "sent", items: [{ value: "4" }] });
  expect(await fetch(external)).toEqual({ values: [{ value: "4" }] });
  expect(await clientOf(404, failed(404, "NoSeries")).fetch(external)).toEqual({
    error: "what the adapter says",
  });
});

test("the reason of the adapter is kept", async () => {
  expect(await clientOf(400, failed(400, "NamespaceMatcher")).fetch(whole)).toEqual({
    error: "what the adapter says",
    reason: "NamespaceMatcher",
  });
});

test.each([
  ["values without what was sent", 200, { items: [{ value: "4" }] }],
  ["a 404 without a reason", 404, failed(404)],
  ["a 404 whose reason is not a word", 404, failed(404, "<b>no</b>")],
])("%s are from another adapter, and the error says which one has to be there", async (_, code, body) => {
  expect(await clientOf(code, body).fetch(whole)).toMatchObject({
    reason: "NotServed",
    error: expect.stringContaining("Plimsoll's metrics-adapter with --metric-rules=true"),
  });
});

test("an object that asks for the name of a query itself gives the query no values of another adapter", async () => {
  const named = { name: whole.query?.metric ?? "" };
  const { fetch } = clientOf(200, { items: [{ value: "4" }] });
  expect(await fetch({ type: "External", external: { metric: named, target } })).toEqual({
    values: [{ value: "4" }],
  });
  expect(await fetch(whole)).toMatchObject({ reason: "NotServed" });
});

test("without a custom metrics API a query of pods says the same", async () => {
  expect(await clientOf(200, {}, []).fetch(ofPods)).toMatchObject({ reason: "NotServed" });
});

test("a message of any length leaves room for the remedy", async () => {
  const long = { ...failed(404), message: "x".repeat(100_000) };
  const samples = await clientOf(404, long).fetch(whole);
  expect("error" in samples ? samples.error.length : 0).toBeLessThanOrEqual(1_024);
  expect("error" in samples ? samples.error : "").toContain("--metric-rules=true");
});

test("what a condition says of a failed metric names no server", async () => {
  const message = 'Get "https://10.96.0.1:443/apis": dial tcp 10.96.0.1:443: connect: connection refused';
  const { fetch } = clientOf(503, { ...failed(503), message });
  expect(await fetch({ type: "External", external: { metric: { name: "lag" }, target } })).toEqual({
    error: 'Get "(address hidden)": dial tcp (address hidden): connect: connection refused',
  });
});
