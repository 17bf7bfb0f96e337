// What a relist costs: nothing is made again when the series are the same.
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
