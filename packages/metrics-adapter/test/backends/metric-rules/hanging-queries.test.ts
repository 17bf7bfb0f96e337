import { hourMs } from "@plimsoll/core/internal/values";
import { queryName } from "@plimsoll/core/queries";
import type { KubeClient } from "@plimsoll/kube";
import { failure, vector } from "@plimsoll/prometheus/testing";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { failureIn, startHarness, valueOf } from "../prometheus/harness.ts";
import { fakeRules } from "./fake-rules.ts";

const rules = `
rules:
- seriesQuery: 'packets{namespace!=""}'
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'
`;
const series = [{ __name__: "packets", namespace: "victim", pod: "a" }];
const target = { type: "AverageValue", averageValue: "10" };

interface Written {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly message: string }[] };
}

/** Queries about `hang` get no response, or Prometheus's timeout where `isLate`. */
async function setUp({ isLate = false, isCut = false } = {}) {
  const api = fakeRules();
  const written = new Map<string, string>();
  const registry = new Registry();
  let hangs = true;
  const harness = await startHarness({
    rules,
    series,
    isTimedByClock: true,
    timeoutMs: 10_000,
    registry,
    query: ({ parameters }) => {
      const isHanging = hangs && (parameters.get("query") ?? "").includes("hang");
      if (!isHanging) return vector([{ labels: { pod: "a" }, value: "1" }]);
      if (isCut)
        return new Promise((_, reject) => harness.clock.after(5_000, () => reject(new Error("cut"))));
      return isLate ? failure(503, "timeout", "query timed out in expression evaluation") : () => undefined;
    },
    metricRules: (clock) => recording(api.client(clock), written),
  });
  onTestFinished(() => harness.stop());
  await harness.clock.advance(200);
  const decided = async <T>(outcome: Promise<T>): Promise<T> => {
    const found: T[] = [];
    void outcome.then((one) => found.push(one));
    for (let seconds = 0; found.length === 0 && seconds < 60; seconds += 1)
      await harness.clock.advance(1_000);
    return await outcome;
  };
  return {
    api,
    harness,
    written,
    decided,
    recover: () => void (hangs = false),
    sent: () => harness.queries().filter((promql) => promql.includes("hang")).length,
    unanswered: async () => {
      const [sample] =
        (await registry.getSingleMetric("plimsoll_adapter_source_unanswered_queries")?.get())?.values ?? [];
      return sample?.value;
    },
  };
}

/** Keeps the last message about whether the query of a rule could be run. */
function recording(client: KubeClient, written: Map<string, string>): KubeClient {
  return {
    ...client,
    async request(request) {
      const { status, metadata } = (request.body ?? {}) as Partial<Written>;
      const resolved = status?.conditions.find(({ type }) => type === "Resolved");
      if (resolved !== undefined) written.set(`${metadata?.namespace}/${metadata?.name}`, resolved.message);
      return await client.request(request);
    },
  };
}

test("the status checks of 24 rules that hang send one query, and the status says why the others are not sent", async () => {
  const { api, harness, written, sent, unanswered } = await setUp();
  for (let at = 0; at < 24; at += 1) api.put("hostile", `r${at}`, { type: "External", query: `hang_${at}` });
  await harness.clock.advance(hourMs);
  expect(sent()).toBe(1);
  expect(await unanswered()).toBe(1);
  expect(written.get("hostile/r23")).toMatch(
    /1 query of the namespace hostile timed out and may still run in Prometheus\..* not sent before 20.*Make them cheaper: kubectl describe metricrules,workloadautoscalers --namespace hostile \(PLM5123\)$/,
  );
  await harness.clock.advance(5 * hourMs);
  // An hour without a response, each time; then the connection is given up.
  expect(sent()).toBeLessThanOrEqual(7);
});

test("requests for MetricRules and for queries of WorkloadAutoscalers count together with the status checks", async () => {
  const { api, harness, decided, sent } = await setUp();
  for (let at = 0; at < 12; at += 1) api.put("hostile", `r${at}`, { type: "External", query: `hang_${at}` });
  const promql = "sum(hang)";
  api.autoscalers.put("hostile", "shop", [{ type: "Query", query: { promql, target } }]);
  await harness.clock.advance(2_000);
  const name = queryName("shop", { promql, source: "default", podLabel: undefined });
  for (let minute = 0; minute < 60; minute += 1) {
    await decided(harness.external("r3", "hostile"));
    await decided(harness.external(name, "hostile"));
    await harness.clock.advance(60_000);
  }
  expect(sent()).toBeLessThanOrEqual(3);
  const { code, message, retryAfterSeconds } = failureIn(await decided(harness.external(name, "hostile")));
  expect([code, message]).toEqual([
    "Unavailable",
    expect.stringContaining("of the namespace hostile timed out"),
  ]);
  expect(retryAfterSeconds).toBeGreaterThanOrEqual(30);
});

test("queries whose connections are cut before they time out are sent ever more rarely", async () => {
  const { api, harness, sent } = await setUp({ isCut: true });
  for (let at = 0; at < 24; at += 1) api.put("hostile", `r${at}`, { type: "External", query: `hang_${at}` });
  await harness.clock.advance(hourMs);
  expect(sent()).toBeGreaterThan(2);
  expect(sent()).toBeLessThanOrEqual(8);
  await harness.clock.advance(5 * hourMs);
  expect(sent()).toBeLessThanOrEqual(14);
});

test("other namespaces' rules and the rules file are served beside namespaces that hang", async () => {
  const { api, harness, decided } = await setUp();
  for (const namespace of ["a", "b", "c"])
    for (let at = 0; at < 24; at += 1)
      api.put(namespace, `r${at}`, { type: "External", query: `hang_${at}` });
  await harness.clock.advance(60_000);
  api.put("victim", "good", { type: "External", query: "good" });
  await harness.clock.advance(2_000);
  for (let times = 0; times < 20; times += 1) {
    expect(valueOf(await decided(harness.external("good", "victim")))).toHaveLength(1);
    const packets = harness.custom({ metric: "packets", namespace: "victim", name: "a" });
    expect(valueOf(await decided(packets))).toHaveLength(1);
    await harness.clock.advance(60_000);
  }
});

test("a rule whose query works again is served, and the namespace's others with it", async () => {
  const { api, harness, decided, recover, sent, unanswered } = await setUp({ isLate: true });
  for (let at = 0; at < 3; at += 1) api.put("shop", `r${at}`, { type: "External", query: `hang_${at}` });
  await harness.clock.advance(hourMs);
  expect(sent()).toBeLessThanOrEqual(15);
  expect(await unanswered()).toBe(0);
  recover();
  await harness.clock.advance(600_000);
  for (let at = 0; at < 3; at += 1)
    expect(valueOf(await decided(harness.external(`r${at}`, "shop")))).toHaveLength(1);
});
