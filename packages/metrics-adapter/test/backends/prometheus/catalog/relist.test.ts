// What a relist costs: nothing is made again when the series are the same. And when one that fails is tried again.
import { failure } from "@plimsoll/prometheus/testing";
import { expect, onTestFinished, test } from "vitest";
import { discovery, startHarness, waitFor } from "../harness.ts";

const rules = `
rules:
- {seriesQuery: '{__name__=~"m_.*"}', resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}}
- {seriesQuery: single, resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}}
externalRules:
- {seriesQuery: '{__name__=~"m_.*"}', resources: {overrides: {namespace: {resource: namespace}}}}
`;

function seriesOf(count: number) {
  const names = ["single", ...Array.from({ length: count }, (_, index) => `m_${index}`)];
  return names.map((name) => ({ __name__: name, namespace: "ns", pod: "a" }));
}

async function start(count: number) {
  const harness = await startHarness({ rules, series: seriesOf(count) });
  onTestFinished(() => harness.stop());
  const requests = () => harness.fake.requests.length;
  const ofOne = requests();
  return {
    harness,
    lists: () => [harness.engine.custom?.list(), harness.engine.external?.list()] as const,
    async relist(series: ReturnType<typeof seriesOf>) {
      const before = requests();
      harness.fake.handle((request) => discovery(series, request));
      await harness.clock.advance(60_000);
      await waitFor(() => requests() === before + ofOne);
      await harness.clock.advance(100);
    },
  };
}

test("a relist that finds the same series keeps the lists, and one that finds others makes them again", async () => {
  const { lists, relist } = await start(10);
  const [custom, external] = lists();
  await relist(seriesOf(10));
  expect(lists()[0]).toBe(custom);
  expect(lists()[1]).toBe(external);
  await relist(seriesOf(11));
  await waitFor(() => lists()[1]?.length === (external?.length ?? 0) + 1);
  expect(lists()[0]?.length).toBeGreaterThan(custom?.length ?? 0);
});

const one = (series: string) =>
  `- {seriesQuery: ${series}, resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}}`;

test("retries come further apart while everything fails, and are logged at most once a minute", async () => {
  let asked = 0;
  const discover = () => {
    asked += 1;
    return failure(500, "internal", `no. ${asked}`);
  };
  const harness = await startHarness({
    rules: `rules:\n${one("single")}\n${one("other")}\n`,
    series: seriesOf(1),
    waits: false,
    discover,
  });
  onTestFinished(() => harness.stop());
  const failures = () => Number(/no[.] (\d+)/.exec(harness.engine.readiness().message)?.[1] ?? -1) / 2 + 0.5;
  const logged = () =>
    harness.log.filter(({ message }) => message === "discovery failed for a rule").length / 2;
  await waitFor(() => failures() === 1);
  for (const [at, waitMs] of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
    await harness.clock.advance(waitMs - 1);
    expect(failures()).toBe(at + 1);
    await harness.clock.advance(1);
    await waitFor(() => failures() === at + 2);
    expect(logged()).toBe(at < 5 ? 1 : 2);
  }
});
