import { failure, vector } from "@plimsoll/prometheus/testing";
import { afterEach, expect, test } from "vitest";
import { discovery, failureIn, type Harness, startHarness, waitFor } from "../harness.ts";

const rules = `rules: [{seriesQuery: load, resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}]`;
const series = [{ __name__: "load", namespace: "ns", pod: "a" }];
const long = "x".repeat(20 * 1024 * 1024);

let harness: Harness;

afterEach(() => harness.stop());

test("an error of 20 MB is cut in responses, in the log and in readiness", async () => {
  harness = await startHarness({
    rules,
    series,
    waits: false,
    discover: () => failure(400, "bad_data", long),
  });
  await waitFor(() => harness.engine.readiness().message.includes("bad_data"));
  expect(harness.engine.readiness().message.length).toBeLessThan(1_000);
  expect(
    JSON.stringify(harness.log.map(({ fields }) => Object.values(fields).map(String))).length,
  ).toBeLessThan(5_000);
  harness.fake.handle((request) =>
    request.path === "/api/v1/query" ? failure(503, "unavailable", long) : discovery(series, request),
  );
  await harness.clock.advance(1_000);
  await waitFor(() => harness.engine.readiness().ready);
  const { code, message } = failureIn(await harness.custom({ metric: "load", name: "a" }));
  expect(code).toBe("Unavailable");
  expect(message.length).toBeLessThan(1_000);
});

test("a type of result that is nested too deep is unavailable, not a bug", async () => {
  const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const body = `{"status":"success","data":{"resultType":${nested},"result":[]}}`;
  harness = await startHarness({ rules, series, query: () => ({ status: 200, body }) });
  expect(failureIn(await harness.custom({ metric: "load", name: "a" })).code).toBe("Unavailable");
});

test("labels of several series for one object are cut", async () => {
  const samples = Array.from({ length: 100 }, (_, at) => ({
    labels: { pod: "a", at: String(at), wordy: "x".repeat(5_000) },
    value: "1",
  }));
  harness = await startHarness({ rules, series, query: () => vector(samples) });
  const { message } = failureIn(await harness.custom({ metric: "load", name: "a" }));
  expect(message).toContain("several series for pods a");
  expect(message.length).toBeLessThan(2_000);
});
