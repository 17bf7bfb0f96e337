// New rules take the place of those that are served.
import { afterEach, expect, test } from "vitest";
import { discovery, type Harness, rulesOf, startHarness, waitFor } from "../backends/prometheus/harness.ts";

const byPod = "resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}";
const rule = (series: string): string =>
  `- {seriesQuery: ${series}, ${byPod}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}`;
const series = ["first", "second", "third"].map((name) => ({ __name__: name, namespace: "ns", pod: "a" }));

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.stop();
  harness = undefined;
});

function podMetrics(): readonly string[] {
  const infos = harness?.engine.custom?.list() ?? [];
  return infos.filter(({ groupResource }) => groupResource === "pods").map(({ metric }) => metric);
}

test("new rules are in force when their metrics are listed, and the old ones until then", async () => {
  harness = await startHarness({ rules: `rules:\n${rule("first")}\n`, series });
  const { fake, engine } = harness;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const before = fake.requests.length;
  fake.handle(async (request) => {
    await held;
    return discovery(series, request);
  });
  const changing = engine.useRules(
    rulesOf(`rules:\n${rule("second")}\n${rule("third")}\nexternalRules:\n${rule("first")}\n`),
  );
  await waitFor(() => fake.requests.length > before);
  expect([podMetrics(), engine.external]).toEqual([["first"], undefined]);
  release();
  await changing;
  expect(podMetrics()).toEqual(["second", "third"]);
  expect(engine.external?.list()).toEqual(["first"]);
});

test("what unchanged rules found is kept when Prometheus does not respond after the change", async () => {
  harness = await startHarness({ rules: `rules:\n${rule("first")}\n${rule("second")}\n`, series });
  const { fake, engine, clock } = harness;
  fake.handle(() => ({ status: 503, body: "" }));
  // Only the query of the second changes, and its place in the file: what it finds stays the same.
  await engine.useRules(
    rulesOf(
      `rules:\n${rule("third")}\n- {seriesQuery: second, ${byPod}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'}\n`,
    ),
  );
  expect(podMetrics()).toEqual(["second"]);
  const asked = await harness.custom({ metric: "third", name: "a" });
  expect(asked).toMatchObject({ ok: false, failure: { code: "Unavailable" } });
  fake.handle((request) => discovery(series, request));
  await clock.advance(1_000);
  await waitFor(() => podMetrics().length === 2);
  await harness.custom({ metric: "second", name: "a" });
  expect(harness.queries().at(-1)).toBe('sum(second{namespace="ns",pod="a"}) by (pod)');
});

test("of two changes in a row the later one holds, whichever is listed first", async () => {
  harness = await startHarness({ rules: `rules:\n${rule("first")}\n`, series });
  const { engine } = harness;
  await Promise.all([
    engine.useRules(rulesOf(`rules:\n${rule("second")}\n`)),
    engine.useRules(rulesOf(`rules:\n${rule("third")}\n`)),
  ]);
  await waitFor(() => podMetrics().includes("third"));
  expect(podMetrics()).toEqual(["third"]);
});
