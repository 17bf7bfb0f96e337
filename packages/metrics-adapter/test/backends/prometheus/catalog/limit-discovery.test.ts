import { manualClock } from "@plimsoll/component-base/testing";
import { type PrometheusClient, PrometheusError } from "@plimsoll/prometheus";
import { vector } from "@plimsoll/prometheus/testing";
import { expect, test } from "vitest";
import { limitDiscovery } from "../../../../src/backends/prometheus/catalog/limit-discovery.ts";
import { createPrometheusCircuit } from "../../../../src/backends/prometheus/circuit.ts";
import { discovery, startHarness, waitFor } from "../harness.ts";

function bench(
  series: PrometheusClient["series"],
): PrometheusClient & { readonly clock: ReturnType<typeof manualClock> } {
  const clock = manualClock(1_700_000_000_000);
  const no = (): Promise<never> => Promise.reject(new PrometheusError("unreachable", "no"));
  const prometheus: PrometheusClient = {
    query: no,
    queryRange: no,
    series,
    labelNames: no,
    labelValues: no,
    close: async () => undefined,
  };
  const circuit = createPrometheusCircuit(prometheus, clock);
  return { ...limitDiscovery({ prometheus, circuit, clock, listTimeoutMs: 20_000 }), clock };
}

function ofRules(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `rule_${String(at)}`);
}

test("a Prometheus that cannot be reached is not queried for each of a thousand rules", async () => {
  let asked = 0;
  const client = bench(async () => {
    asked += 1;
    await Promise.resolve();
    throw new PrometheusError("unreachable", "no connection within 2000 ms");
  });
  const relist = (): Promise<unknown> =>
    Promise.allSettled(ofRules(1_000).map((rule) => client.series([rule], { startMs: 0 })));
  await relist();
  expect(asked).toBeLessThanOrEqual(3 * 12);
  const before = asked;
  await relist();
  expect(asked).toBe(before);
});

test("rules that hang hold a few connections, and a relist ends in time however many they are", async () => {
  let underWay = 0;
  let most = 0;
  let asked = 0;
  const client = bench(() => {
    asked += 1;
    underWay += 1;
    most = Math.max(most, underWay);
    return new Promise<never>((_, reject) => {
      client.clock.after(10_000, () => {
        underWay -= 1;
        reject(new PrometheusError("timeout", "no response within 10000 ms"));
      });
    });
  });
  const ends = Promise.allSettled(ofRules(1_000).map((rule) => client.series([rule], { startMs: 0 })));
  await client.clock.advance(30_000);
  const messages = (await ends).map((end) => (end.status === "rejected" ? String(end.reason) : "answered"));
  expect([most, asked]).toEqual([12, 36]);
  expect(messages.at(-1)).toContain("discovery waited 20 s for rules that hang");
});

test("a list has its own timeout, and its error names the flag", async () => {
  const timeouts: unknown[] = [];
  const client = bench(async (_matches, { timeoutMs }) => {
    timeouts.push(timeoutMs);
    throw new PrometheusError("timeout", "no response within 20000 ms");
  });
  await expect(client.series(["up"], { startMs: 0 })).rejects.toThrow(
    "no response within 20000 ms; a list may take longer with --metrics-list-timeout",
  );
  expect(timeouts).toEqual([20_000]);
});

test("queries are served while discovery hangs for every rule", async () => {
  const rules = ofRules(80).map(
    (rule) =>
      `- {seriesQuery: '${rule}{namespace!="",pod!=""}', resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}`,
  );
  const series = ofRules(80).map((name) => ({ __name__: name, namespace: "ns", pod: "a" }));
  let hanging = 0;
  let isHanging = false;
  const harness = await startHarness({
    rules: `rules:\n${rules.join("\n")}`,
    discover: (request) => {
      if (!isHanging) return discovery(series, request);
      hanging += 1;
      return () => undefined;
    },
    query: () => vector([{ labels: { pod: "a" }, value: "1" }]),
  });
  isHanging = true;
  await harness.clock.advance(60_000);
  await waitFor(() => hanging === 12);
  const outcomes = await Promise.all(ofRules(80).map((metric) => harness.custom({ metric, name: "a" })));
  expect([outcomes.filter(({ ok }) => !ok), hanging]).toEqual([[], 12]);
  await harness.stop();
});
