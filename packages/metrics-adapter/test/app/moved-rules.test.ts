import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { failureIn, waitFor } from "../backends/prometheus/harness.ts";
import { healthy, server, sourceOf, start } from "./config-files.ts";

/** May have any name before it is listed. */
const anyName = (source: string): string =>
  `- {seriesQuery: '{__name__=~"up_.*"}', source: ${source}, name: {matches: "^(.*)$"}, resources: {namespaced: false}, metricsQuery: 'sum(<<.Series>>)'}\n`;
const metric = { namespace: "ns", resource: undefined, metric: "up_a" };

test("a rule's new source whose address changes before it has listed anything leaves the metric its owner", async () => {
  const [a, b, moved] = [await server("up_a", "1"), await server("up_a", "2"), await server("up_a", "3")];
  const listing = Promise.withResolvers<void>();
  b.handle(() => () => undefined);
  moved.handle(async (request) => {
    if (request.path !== "/api/v1/query") await listing.promise;
    return healthy("up_a", "3")(request);
  });
  const adapter = await start(sourceOf("a", a) + sourceOf("b", b), anyName("a"));
  await waitFor(() => adapter.listed("up_a"));
  await adapter.write("rules.yaml", anyName("b"));
  await waitFor(() => b.requests.length > 0);
  await adapter.write("sources.yaml", sourceOf("a", a) + sourceOf("b", moved));
  await waitFor(() => moved.requests.length > 0);
  expect([adapter.engine.owns(metric), await adapter.value("up_a")]).toEqual([true, "1"]);
  // The old source goes while the new one still lists.
  await adapter.write("sources.yaml", sourceOf("b", moved));
  expect([adapter.engine.owns(metric), await adapter.value("up_a")]).toEqual([true, "1"]);
  listing.resolve();
  await until("the new source is in use", async () => (await adapter.value("up_a")) === "3");
  await waitFor(() => a.openSockets() === 0);
});

test("a rule's new source that is down leaves the metric its owner, and is named until it is up", async () => {
  const [a, b] = [await server("up_a", "1"), await server("up_a", "2")];
  b.handle(() => ({ status: 503, body: "" }));
  const adapter = await start(sourceOf("a", a) + sourceOf("b", b), anyName("a"));
  await waitFor(() => adapter.listed("up_a"));
  await adapter.write("rules.yaml", anyName("b"));
  await waitFor(() => adapter.engine.readiness().message.startsWith("source b: "));
  expect(adapter.engine.owns(metric)).toBe(true);
  expect(failureIn(await adapter.get("up_a")).code).toBe("Unavailable");
  b.handle(healthy("up_a", "2"));
  await adapter.clock.advance(2_000);
  await until("the new source is in use", async () => (await adapter.value("up_a")) === "2");
});

test("rules of no source at all take the place of those of one", async () => {
  const a = await server("up_a", "1");
  const adapter = await start(sourceOf("a", a), anyName("a"));
  await waitFor(() => adapter.listed("up_a"));
  await adapter.write("rules.yaml", "");
  await waitFor(() => adapter.engine.owns(metric) === false);
  expect(adapter.listed("up_a")).toBe(false);
});
