import { type FakeHandler, failure, vector } from "@plimsoll/prometheus/testing";
import { Registry } from "prom-client";
import { afterEach, expect, test } from "vitest";
import { discovery, type Harness, required, startHarness, waitFor } from "../harness.ts";

const rules = `rules: [{seriesQuery: load, resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}]`;
const series = [{ __name__: "load", namespace: "ns", pod: "a" }];

let harness: Harness;

afterEach(() => harness.stop());

/** How queries ended, as /metrics shows; the one for the scrape interval is answered. */
async function outcomes(registry: Registry): Promise<readonly string[]> {
  const text = await registry.getSingleMetricAsString("plimsoll_adapter_prometheus_request_duration_seconds");
  return [...text.matchAll(/_count\{endpoint="query",outcome="(\w+)",source="default"\} [1-9]/gm)].map(
    ([, outcome = ""]) => outcome,
  );
}

test.each<readonly [outcome: string, query: FakeHandler]>([
  ["unauthorized", () => ({ status: 401, body: "who are you" })],
  ["unauthorized", () => ({ status: 403, body: "not you" })],
  ["bad_response", () => ({ status: 200, body: "<html>log in</html>" })],
  ["too_large", () => ({ status: 200, body: "x".repeat(65 * 1024 * 1024) })],
  ["timeout", () => () => undefined],
  ["timeout", () => failure(503, "timeout", "query timed out")],
  ["bad_data", () => failure(400, "bad_data", "parse error")],
  ["execution", () => failure(422, "execution", "too many samples")],
  ["rate_limited", () => ({ status: 429, body: "slow down" })],
  ["server_error", () => failure(500, "internal", "no")],
])("a request to Prometheus that ends as %s counts as that", async (outcome, query) => {
  const registry = new Registry();
  harness = await startHarness({
    rules,
    series,
    registry,
    query,
    ...(outcome === "timeout" && { queryTimeoutMs: 100 }),
  });
  await harness.custom({ metric: "load", name: "a" });
  expect((await outcomes(registry)).filter((one) => one !== "ok")).toEqual([outcome]);
});

test("what cannot be reached, and what no caller waits for, count as such", async () => {
  const registry = new Registry();
  harness = await startHarness({
    rules,
    series,
    registry,
    query: () => () => undefined,
  });
  const controller = new AbortController();
  const leaving = required(harness.engine.custom).get({
    groupResource: "pods",
    namespace: "ns",
    name: "a",
    metric: "load",
    labelSelector: "",
    metricLabelSelector: "",
    signal: () => controller.signal,
  });
  await waitFor(() => harness.queries().length === 1);
  controller.abort();
  await leaving;
  await expect.poll(() => outcomes(registry)).toContain("canceled");
  await harness.fake.close();
  await harness.custom({ metric: "load", name: "b" });
  await expect.poll(() => outcomes(registry)).toContain("unreachable");
});

test("responses count as ok", async () => {
  const registry = new Registry();
  harness = await startHarness({
    rules,
    series,
    registry,
    query: () => vector([{ labels: { pod: "a" }, value: "1" }]),
    discover: (request) => discovery(series, request),
  });
  await harness.custom({ metric: "load", name: "a" });
  expect(await outcomes(registry)).toEqual(["ok"]);
});
