import { vector } from "@plimsoll/prometheus/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { failureIn, waitFor } from "../backends/prometheus/harness.ts";
import { healthy, ruleOf, server, sourceOf, start } from "./config-files.ts";

test("another address is in force at once; what is in flight ends where it began, and then its connections do", async () => {
  const [before, after] = [await server("up_a", "1"), await server("up_a", "2")];
  const adapter = await start(sourceOf("a", before), ruleOf("up_a", "a"));
  await waitFor(() => adapter.listed("up_a"));
  expect(await adapter.value("up_a")).toBe("1");
  const held = Promise.withResolvers<void>();
  let isHeld = false;
  before.handle(async () => {
    isHeld = true;
    await held.promise;
    return vector([{ labels: {}, value: "1" }]);
  });
  const inFlight = adapter.value("up_a", "other");
  await waitFor(() => isHeld);
  await adapter.write("sources.yaml", sourceOf("a", after));
  expect(await adapter.value("up_a")).toBe("2");
  expect(before.openSockets()).toBeGreaterThan(0);
  held.resolve();
  expect(await inFlight).toBe("1");
  await waitFor(() => before.openSockets() === 0);
  expect([adapter.listed("up_a"), adapter.sourcesFile.note()]).toEqual([true, undefined]);
});

test("a source that changes leaves the others their caches, and one that goes closes its connections", async () => {
  const [a, b] = [await server("up_a", "1"), await server("up_b", "2")];
  const adapter = await start(sourceOf("a", a) + sourceOf("b", b), ruleOf("up_a", "a"));
  await waitFor(() => adapter.listed("up_a"));
  expect(await adapter.value("up_a")).toBe("1");
  adapter.api.put("ns", "of-b", { type: "External", query: "up_b", source: "b" });
  await adapter.clock.advance(2_000);
  expect(await adapter.value("of-b")).toBe("2");
  const [sockets, relists] = [a.connections, a.requests.length];
  await adapter.write("sources.yaml", sourceOf("a", a));
  await waitFor(() => b.openSockets() === 0);
  expect(await adapter.value("up_a")).toBe("1");
  expect([a.connections, a.requests.length]).toEqual([sockets, relists + 1]);
  await adapter.clock.advance(2_000);
  expect(failureIn(await adapter.get("of-b")).code).toBe("MetricNotFound");
  const metrics = await adapter.registry.metrics();
  expect([metrics.includes('source="a"'), metrics.includes('source="b"')]).toEqual([true, false]);
});

test("all that is wrong with a file is reported with its place, and the old one stays in force", async () => {
  const a = await server("up_a", "1");
  const adapter = await start(sourceOf("a", a), ruleOf("up_a", "a"));
  await waitFor(() => adapter.listed("up_a"));
  await adapter.write(
    "sources.yaml",
    "- {name: a, url: 'ftp://a'}\n- {name: a, url: 'http://b', auth: {type: magic}}\n",
  );
  expect(adapter.problems()).toEqual([
    'sources.yaml:2:18: sources[0].url: "ftp://a" must be an http or https URL',
    'sources.yaml:3:3: sources[1]: the name "a" is taken by another source: choose another one',
    expect.stringContaining('sources.yaml:3:43: sources[1].auth.type: unknown type "magic"'),
  ]);
  expect(adapter.sourcesFile.note()).toMatch(
    /^using older sources: the file has 3 problems, first sources\.yaml:2:18: /,
  );
  expect(await adapter.value("up_a")).toBe("1");
  const auth = ", auth: {type: bearer, tokenFile: /nowhere}";
  await adapter.write("sources.yaml", sourceOf("a", a, auth) + sourceOf("b", a, auth));
  expect(adapter.sourcesFile.note()).toContain("the file has 2 problems, first source a: ");
  await adapter.write("sources.yaml", sourceOf("a", a, ", verb: POST"));
  expect(adapter.sourcesFile.note()).toBeUndefined();
  expect(await adapter.value("up_a")).toBe("1");
  expect(a.requests.at(-1)?.method).toBe("POST");
});

test("a source that a rule needs stays until the rules do without it, in whichever order the two files change", async () => {
  const [a, b] = [await server("up_a", "1"), await server("up_a", "2")];
  const adapter = await start(sourceOf("a", a), ruleOf("up_a", "a"));
  await waitFor(() => adapter.listed("up_a"));
  await adapter.write("sources.yaml", sourceOf("b", b));
  expect(adapter.sourcesFile.note()).toContain('there is no source "a": use one of default, b');
  expect(await adapter.value("up_a")).toBe("1");
  await adapter.write("rules.yaml", ruleOf("up_a", "b"));
  await waitFor(() => adapter.sourcesFile.note() === undefined && adapter.rulesFile.note() === undefined);
  await until("the other source is in use", async () => (await adapter.value("up_a")) === "2");
  await adapter.write("rules.yaml", ruleOf("up_a", "a"));
  expect(adapter.rulesFile.note()).toContain("using older rules");
  await adapter.write("sources.yaml", sourceOf("a", a));
  await waitFor(() => adapter.sourcesFile.note() === undefined && adapter.rulesFile.note() === undefined);
  await until("the first source is in use", async () => (await adapter.value("up_a")) === "1");
});

test.each([
  ["sources.yaml", "rules.yaml"],
  ["rules.yaml", "sources.yaml"],
] as const)("a source that is renamed in both files, %s first, costs no request", async (first, second) => {
  const a = await server("up_a", "1");
  let isListed = (): void => {};
  const adapter = await start(sourceOf("a", a), ruleOf("up_a", "a"));
  await waitFor(() => adapter.listed("up_a"));
  const renamed = { "sources.yaml": sourceOf("b", a), "rules.yaml": ruleOf("up_a", "b") };
  await adapter.write(first, renamed[first]);
  expect(await adapter.value("up_a")).toBe("1");
  const listing = new Promise<void>((resolve) => {
    isListed = resolve;
  });
  a.handle(async (request) => {
    if (request.path !== "/api/v1/query") await listing;
    return healthy("up_a", "2")(request);
  });
  await adapter.write(second, renamed[second]);
  await waitFor(() => adapter.sourcesFile.note() === undefined && adapter.rulesFile.note() === undefined);
  expect(await adapter.value("up_a")).toBe("2");
  isListed();
  await until("the old name is gone", async () => {
    return !(await adapter.registry.metrics()).includes('source="a"');
  });
  expect(await adapter.value("up_a")).toBe("2");
});

test("a source that is removed before another has listed its rules serves them until then", async () => {
  const [a, b] = [await server("up_a", "1"), await server("up_a", "2")];
  const listing = Promise.withResolvers<void>();
  b.handle(async (request) => {
    if (request.path !== "/api/v1/query") await listing.promise;
    return healthy("up_a", "2")(request);
  });
  const adapter = await start(sourceOf("a", a) + sourceOf("b", b), ruleOf("up_a", "a"));
  await waitFor(() => adapter.listed("up_a"));
  await adapter.write("rules.yaml", ruleOf("up_a", "b"));
  await adapter.write("sources.yaml", sourceOf("b", b));
  expect(await adapter.value("up_a")).toBe("1");
  listing.resolve();
  await until("the other source is in use", async () => (await adapter.value("up_a")) === "2");
  await until("the removed source is gone", async () => {
    return !(await adapter.registry.metrics()).includes('source="a"');
  });
});

test("MetricRules follow the sources: a new one serves them, and one that serves others does not", async () => {
  const [a, b] = [await server("up_a", "1"), await server("up_b", "2")];
  const adapter = await start(sourceOf("a", a), ruleOf("up_a", "a"));
  await waitFor(() => adapter.listed("up_a"));
  adapter.api.put("ns", "of-b", { type: "External", query: "up_b", source: "b" });
  await adapter.clock.advance(2_000);
  expect(failureIn(await adapter.get("of-b")).code).toBe("MetricNotFound");
  await adapter.write("sources.yaml", sourceOf("a", a) + sourceOf("b", b));
  await adapter.clock.advance(2_000);
  expect(await adapter.value("of-b")).toBe("2");
  await adapter.write("sources.yaml", sourceOf("a", a) + sourceOf("b", b, ", namespaces: [other]"));
  await adapter.clock.advance(2_000);
  expect(failureIn(await adapter.get("of-b")).code).toBe("MetricNotFound");
});

test("however often the names of sources change, their metrics are those of the file", async () => {
  const a = await server("up_a", "1");
  const adapter = await start(sourceOf("a", a), ruleOf("up_a", "a"));
  await waitFor(() => adapter.listed("up_a"));
  for (let at = 0; at < 10; at += 1) {
    adapter.api.put("ns", "own", { type: "External", query: "up_a", source: `s${at}` });
    await adapter.write("sources.yaml", sourceOf("a", a) + sourceOf(`s${at}`, a));
    await adapter.clock.advance(2_000);
    expect(await adapter.value("own")).toBe("1");
  }
  const names = [...(await adapter.registry.metrics()).matchAll(/\bsource="(\w+)"/g)].map(([, name]) => name);
  const known = ["a", "batch", "cache", "default", "prometheus", "s9", "shared"];
  expect(new Set(names)).toEqual(new Set(known));
});

test("a file whose Secret is mounted later than it is taken then, and complained of once until that", async () => {
  const [a, b] = [await server("up_a", "1"), await server("up_a", "2")];
  const adapter = await start(sourceOf("a", a), ruleOf("up_a", "a"));
  await waitFor(() => adapter.listed("up_a"));
  await adapter.write("sources.yaml", sourceOf("a", b, ", auth: {type: bearer, tokenFile: /late}"));
  await adapter.clock.advance(20_000);
  expect([adapter.problems(), adapter.outcomes]).toEqual([["source a: ENOENT: /late"], ["sources failure"]]);
  adapter.files.set("/late", "t0ken");
  await adapter.clock.advance(2_000);
  await waitFor(() => adapter.sourcesFile.note() === undefined);
  expect(await adapter.value("up_a")).toBe("2");
  expect(b.requests.at(-1)?.headers.authorization).toBe("Bearer t0ken");
});
