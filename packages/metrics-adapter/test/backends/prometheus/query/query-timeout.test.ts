import { vector } from "@plimsoll/prometheus/testing";
import { afterEach, expect, test } from "vitest";
import { setDeadline } from "../../../../src/backends/request-deadline.ts";
import {
  failureIn,
  type Harness,
  type HarnessOptions,
  required,
  startHarness,
  valueOf,
  waitFor,
} from "../harness.ts";

const byPod = "resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}";
const rules = `rules: [{seriesQuery: load, ${byPod}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}, {seriesQuery: sums, ${byPod}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'}]`;
const series = ["load", "sums"].map((name) => ({ __name__: name, namespace: "ns", pod: "a" }));
const one = vector([{ labels: { pod: "a" }, value: "1" }]);

let harness: Harness;

afterEach(() => harness.stop());

async function start(options: Partial<HarnessOptions> = {}): Promise<void> {
  harness = await startHarness({ rules, series, query: () => one, ...options });
}

/** Asks with so much time left. */
function ask(leftMs: number, query: { metric?: string; name?: string } = {}) {
  const { signal } = new AbortController();
  setDeadline(signal, harness.clock.nowMs() + leftMs);
  const words = {
    groupResource: "pods",
    namespace: "ns",
    name: "a",
    labelSelector: "",
    metricLabelSelector: "",
  };
  return required(harness.engine.custom).get({ ...words, metric: "load", ...query, signal: () => signal });
}

/** What Prometheus was given as the time for each query. */
function granted(): readonly (string | null)[] {
  return harness.fake.requests
    .filter(({ parameters }) => /^(load|sum\()/.test(parameters.get("query") ?? ""))
    .map(({ parameters }) => parameters.get("timeout"));
}

test.each([
  ["all but the margin for the response", 60_000, undefined, "59500ms"],
  ["nine tenths of little", 2_000, undefined, "1800ms"],
  ["no more than the flag says", 60_000, 15_000, "15000ms"],
  ["less than the flag says", 2_000, 15_000, "1800ms"],
])("a query is given what is left of the request: %s", async (_, leftMs, queryTimeoutMs, timeout) => {
  await start(queryTimeoutMs === undefined ? {} : { queryTimeoutMs });
  valueOf(await ask(leftMs));
  expect(granted()).toEqual([timeout]);
});

test("a query for all objects is given half, so that the other half is there for the caller's own", async () => {
  await start();
  await ask(60_000, { metric: "sums", name: "a" });
  await ask(60_000, { metric: "sums", name: "b" });
  expect(granted()).toEqual(["59500ms", "29750ms"]);
});

test("a caller with little time takes none of the others', and suspends no query", async () => {
  let asked = 0;
  await start({
    query: () => {
      asked += 1;
      return asked === 1 ? () => undefined : one;
    },
  });
  const hasty = ask(200);
  await waitFor(() => asked === 1);
  const calm = ask(60_000);
  expect(failureIn(await hasty)).toMatchObject({
    code: "Unavailable",
    message: expect.stringContaining("no complete response within 180 ms"),
  });
  expect(valueOf(await calm)).toHaveLength(1);
  expect(valueOf(await ask(60_000))).toHaveLength(1);
  expect(granted()).toEqual(["180ms", "59500ms", "59500ms"]);
});
