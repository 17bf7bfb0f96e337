import { failure, vector } from "@plimsoll/prometheus/testing";
import { Registry } from "prom-client";
import { afterEach, expect, test } from "vitest";
import { type Harness, startHarness, waitFor } from "../harness.ts";

const rules = "externalRules: [{seriesQuery: depth, resources: {namespaced: false}, metricsQuery: x}]";
let harness: Harness;
afterEach(() => harness.stop());

let asked = 0;
async function start(answer: () => string | undefined, resultMaxAgeMs = 5_000): Promise<Registry> {
  const registry = new Registry();
  asked = 0;
  harness = await startHarness({
    rules,
    registry,
    series: [{ __name__: "depth" }],
    resultMaxAgeMs,
    scrapes: () => {
      asked += 1;
      const value = answer();
      if (value === "fails") return failure(503, "unavailable", "no");
      return vector(value === undefined ? [] : [{ labels: {}, value }]);
    },
  });
  return registry;
}

const said = () =>
  harness.log.filter(({ message }) => message.includes("half of the shortest scrape interval"));

async function relist(times: number): Promise<void> {
  await harness.clock.advance(60_000);
  await waitFor(() => asked === times);
}

test("warns once for each interval that responses may be too old, and shows how much", async () => {
  let value = "60";
  const registry = await start(() => value);
  await waitFor(() => said().length === 1);
  expect(said()[0]?.fields).toEqual({ resultMaxAgeMs: 5_000, scrapeIntervalSeconds: 5 });
  expect(await registry.metrics()).toContain("plimsoll_adapter_result_age_to_scrape_interval_ratio 1\n");
  await relist(2);
  value = "300";
  await relist(3);
  await waitFor(() => said().length === 2);
  expect(said()[1]?.fields).toMatchObject({ scrapeIntervalSeconds: 1 });
});

test.each([
  ["scrapes are far enough apart", "20"],
  ["they are twice as far apart, counted one off", "31"],
  ["there is nothing to see", undefined],
  ["Prometheus fails", "fails"],
])("says nothing where %s", async (_, value) => {
  await start(() => value);
  await waitFor(() => asked === 1);
  await relist(2);
  await relist(3);
  expect(said()).toEqual([]);
  expect(harness.engine.readiness().ready).toBe(true);
});

test("sends no query where results are not reused", async () => {
  await start(() => "60", 0);
  await harness.clock.advance(60_000);
  expect([asked, said()]).toEqual([0, []]);
});
