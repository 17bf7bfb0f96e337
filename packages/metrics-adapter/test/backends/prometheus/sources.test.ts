import { manualClock } from "@plimsoll/component-base/testing";
import type { KubeObject } from "@plimsoll/kube";
import { createPrometheusClient } from "@plimsoll/prometheus";
import { type FakeHandler, startFakePrometheus, vector } from "@plimsoll/prometheus/testing";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { assembleEngine, type Engine } from "../../../src/backends/prometheus/engine.ts";
import type { Source } from "../../../src/backends/prometheus/source.ts";
import { recordingLog } from "../../http/fakes.ts";
import { fakeCluster, fakeMapper, pod } from "./cluster.ts";
import { discovery, failureIn, required, rulesOf, valueOf, waitFor } from "./harness.ts";

const rules = `
externalRules:
- {seriesQuery: up_here, resources: {overrides: {namespace: {resource: namespace}}}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>})'}
- {seriesQuery: up_there, source: team-a, resources: {overrides: {namespace: {resource: namespace}}}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>})'}
`;

const here = [{ __name__: "up_here", namespace: "ns" }];
const there = [{ __name__: "up_there", namespace: "ns" }];

const healthy =
  (series: readonly Readonly<Record<string, string>>[], value: string): FakeHandler =>
  (request) =>
    request.path === "/api/v1/query" ? vector([{ labels: {}, value }]) : discovery(series, request);
const hanging: FakeHandler = () => () => undefined;
const broken: FakeHandler = () => (response) => void response.destroy();

const labels =
  "resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}, node: {resource: node}}}";
const usageRules = `
resourceRules:
  source: team-a
  window: 1m
  cpu: {containerQuery: 'sum(cpu{<<.LabelMatchers>>}) by (<<.GroupBy>>)', ${labels}, containerLabel: container}
  memory: {containerQuery: 'sum(memory{<<.LabelMatchers>>}) by (<<.GroupBy>>)', ${labels}, containerLabel: container}
`;

interface Two {
  readonly engine: Engine;
  readonly registry: Registry;
  readonly clock: ReturnType<typeof manualClock>;
  readonly ask: (metric: string, namespace?: string) => ReturnType<NonNullable<Engine["external"]>["get"]>;
  readonly useSecond: (handler: FakeHandler) => void;
  readonly secondRequests: () => number;
}

async function startTwo(
  second: FakeHandler,
  options: Partial<Source> & { text?: string; maxRequests?: number; pods?: readonly KubeObject[] } = {},
): Promise<Two> {
  const { text = rules, maxRequests, pods = [], ...more } = options;
  const fakes = await Promise.all(
    [healthy(here, "1"), second].map((handler) => startFakePrometheus(handler)),
  );
  const [first, other] = [required(fakes[0]), required(fakes[1])];
  const clients = fakes.map(({ url }) => createPrometheusClient({ url, timeoutMs: 100_000 }));
  const registry = new Registry();
  const clock = manualClock(1_700_000_000_000);
  const engine = assembleEngine({
    rules: rulesOf(text),
    source: { client: required(clients[0]), resultMaxAgeMs: 0 },
    sources: new Map([["team-a", { client: required(clients[1]), resultMaxAgeMs: 0, ...more }]]),
    maxRequests,
    mapper: fakeMapper(),
    reflect: (info) => fakeCluster({ pods }).reflect(info),
    clock,
    relistIntervalMs: 60_000,
    maxAgeMs: 600_000,
    registry,
    log: recordingLog(),
  });
  onTestFinished(async () => {
    await engine.stop();
    await Promise.all([...clients, first, other].map((one) => one.close()));
  });
  await engine.start();
  return {
    engine,
    registry,
    clock,
    ask: (metric, namespace = "ns") =>
      required(engine.external).get({
        metric,
        namespace,
        labelSelector: "",
        signal: () => new AbortController().signal,
      }),
    useSecond: (handler) => other.handle(handler),
    secondRequests: () => other.requests.length,
  };
}

const listed = (engine: Engine): readonly string[] => required(engine.external).list();
const valuesOf = async (two: Two, metric: string): Promise<readonly string[]> =>
  valueOf(await two.ask(metric)).map(({ value }) => value);

test("a rule queries the source that it names, and the default without one", async () => {
  const two = await startTwo(healthy(there, "2"));
  await waitFor(() => listed(two.engine).length === 2);
  expect(listed(two.engine)).toEqual(["up_here", "up_there"]);
  expect(await valuesOf(two, "up_here")).toEqual(["1"]);
  expect(await valuesOf(two, "up_there")).toEqual(["2"]);
  const metrics = await two.registry.metrics();
  for (const source of ["default", "team-a"]) {
    expect(metrics).toContain(`endpoint="query",outcome="ok",source="${source}"`);
    expect(metrics).toContain(`plimsoll_adapter_source_circuit_open{source="${source}"} 0`);
    expect(metrics).toContain(`plimsoll_adapter_source_listed{source="${source}"} 1`);
  }
});

test("a rule owns what it may name before its source was ever listed, and its only name without series", async () => {
  const wide = `
- {seriesQuery: '{__name__=~"wide_.*"}', source: team-a, resources: {overrides: {namespace: {resource: namespace}}}}
- {seriesQuery: gone, source: team-a, resources: {overrides: {namespace: {resource: namespace}}}}`;
  const two = await startTwo(broken, { text: `${rules.trim()}${wide}` });
  expect(two.engine.owns({ namespace: "ns", resource: undefined, metric: "wide_a" })).toBe(true);
  const owned = () =>
    ["up_here", "up_there", "wide_a", "gone", "other"].filter((metric) =>
      two.engine.owns({ namespace: "ns", resource: undefined, metric }),
    );
  await waitFor(() => listed(two.engine).length === 1 && two.engine.readiness().message !== "ok");
  expect(owned()).toEqual(["up_here", "up_there", "wide_a", "gone"]);
  two.useSecond(healthy(there, "2"));
  await two.clock.advance(60_000);
  await waitFor(() => listed(two.engine).length === 2);
  expect(owned()).toEqual(["up_here", "up_there", "gone"]);
});

test("a rule that may have any name owns it unless a backend matches it, until its source was listed", async () => {
  const open = `
- {seriesQuery: '{__name__=~"a_.*"}', source: team-a, name: {matches: "^a_(.*)$"}, resources: {overrides: {namespace: {resource: namespace}}}}`;
  const two = await startTwo(broken, { text: `${rules.trim()}${open}` });
  const owned = (metric: string) => two.engine.owns({ namespace: "ns", resource: undefined, metric });
  await waitFor(() => listed(two.engine).length === 1 && two.engine.readiness().message !== "ok");
  expect([owned("other"), owned("up_there"), owned("up_here")]).toEqual(["unless-matched", true, true]);
  two.useSecond(healthy(there, "2"));
  await two.clock.advance(60_000);
  await waitFor(() => listed(two.engine).length === 2);
  expect(owned("other")).toBe(false);
});

test("a source that is away at the start delays no other, and is named by readiness and in responses", async () => {
  const two = await startTwo(broken);
  await waitFor(() => listed(two.engine).length === 1 && two.engine.readiness().message !== "ok");
  expect(two.engine.readiness()).toEqual({
    ready: true,
    message: expect.stringMatching(/^source team-a: discovery failed for externalRules\[1\]/),
  });
  expect(await valuesOf(two, "up_here")).toEqual(["1"]);
  expect(failureIn(await two.ask("up_there"))).toMatchObject({
    code: "Unavailable",
    message: expect.stringContaining("source team-a"),
  });
  expect(await two.registry.metrics()).toContain('plimsoll_adapter_source_listed{source="team-a"} 0');
  two.useSecond(healthy(there, "2"));
  await two.clock.advance(60_000);
  await waitFor(() => listed(two.engine).length === 2);
  expect(await valuesOf(two, "up_there")).toEqual(["2"]);
});

test("a source that does not respond to relists delays no other", async () => {
  const two = await startTwo(hanging);
  await waitFor(() => listed(two.engine).includes("up_here") && two.secondRequests() > 0);
  expect(two.engine.readiness().ready).toBe(true);
  expect(await valuesOf(two, "up_here")).toEqual(["1"]);
});

test("the metrics of a source that goes away stay listed, and its requests fail alone", async () => {
  const two = await startTwo(healthy(there, "2"));
  await waitFor(() => listed(two.engine).length === 2);
  two.useSecond(broken);
  // The fourth request waits for a probe, which fails too.
  for (let times = 0; times < 4; times += 1)
    expect(failureIn(await two.ask("up_there"))).toMatchObject({ code: "Unavailable" });
  expect(await two.registry.metrics()).toContain('plimsoll_adapter_source_circuit_open{source="team-a"} 1');
  const sent = two.secondRequests();
  expect(failureIn(await two.ask("up_there")).message).toContain("could not be reached");
  expect(two.secondRequests()).toBe(sent);
  expect(await valuesOf(two, "up_here")).toEqual(["1"]);
  await two.clock.advance(60_000);
  await waitFor(() => two.engine.readiness().message !== "ok");
  expect(listed(two.engine)).toEqual(["up_here", "up_there"]);
});

test("a source that goes away during a relist keeps what is known of its rules, also of those not listed yet", async () => {
  const text = `${rules}- {seriesQuery: also_there, source: team-a, resources: {overrides: {namespace: {resource: namespace}}}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>})'}\n`;
  const both = [...there, { __name__: "also_there", namespace: "ns" }];
  const two = await startTwo(healthy(both, "2"), { text });
  await waitFor(() => listed(two.engine).length === 3);
  let answered = 0;
  two.useSecond((request) => {
    answered += 1;
    return answered === 1 ? discovery(both, request) : (response) => void response.destroy();
  });
  await two.clock.advance(60_000);
  await waitFor(() => two.engine.readiness().message !== "ok");
  expect(answered).toBeGreaterThan(1);
  expect(listed(two.engine)).toEqual(["also_there", "up_here", "up_there"]);
  expect(await valuesOf(two, "up_here")).toEqual(["1"]);
  expect(failureIn(await two.ask("also_there")).code).toBe("Unavailable");
  two.useSecond(healthy(both, "3"));
  await two.clock.advance(60_000);
  await waitFor(() => two.engine.readiness().message === "ok");
  expect(await valuesOf(two, "also_there")).toEqual(["3"]);
});

test("requests that wait for one source leave the others their share", async () => {
  const two = await startTwo(healthy(there, "2"), { maxRequests: 20 });
  await waitFor(() => listed(two.engine).length === 2);
  two.useSecond((request) =>
    request.path === "/api/v1/query" ? () => undefined : discovery(there, request),
  );
  for (let index = 0; index < 10; index += 1) void two.ask("up_there", `ns-${index}`);
  expect(failureIn(await two.ask("up_there", "ns-10"))).toEqual({
    code: "Unavailable",
    message: "unable to fetch metrics: 10 requests are already waiting for source team-a",
    retryAfterSeconds: 1,
  });
  expect(await valuesOf(two, "up_here")).toEqual(["1"]);
});

test("usage whose second query has no place fails, and so may its first one", async () => {
  const rejections: unknown[] = [];
  const onRejection = (reason: unknown): void => void rejections.push(reason);
  process.on("unhandledRejection", onRejection);
  onTestFinished(() => void process.off("unhandledRejection", onRejection));
  const text = `${rules}${usageRules}`;
  const two = await startTwo(healthy(there, "2"), { maxRequests: 2, text, pods: [pod("ns", "a")] });
  await waitFor(() => listed(two.engine).length === 2);
  const usage = async () =>
    await required(two.engine.resource).pods({
      namespace: "ns",
      labelSelector: "",
      fieldSelector: "",
      signal: () => new AbortController().signal,
    });
  const hasEnded = async (outcome: string): Promise<boolean> =>
    (await two.registry.metrics()).includes(`endpoint="query",outcome="${outcome}",source="team-a"} 1`);
  // The labels of the rules are known from then on.
  await usage();
  await expect.poll(() => hasEnded("ok")).toBe(true);
  two.useSecond(broken);
  expect(failureIn(await usage()).message).toContain("1 requests are already waiting for source team-a");
  await expect.poll(() => hasEnded("unreachable")).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(rejections).toEqual([]);
});

test.each<readonly [string, FakeHandler]>([
  ["HTML", () => ({ body: "<html>" })],
  ["a redirect", () => ({ status: 302, headers: { location: "http://elsewhere" }, body: "" })],
  ["garbage", () => ({ body: "{" })],
  ["a refusal", () => ({ status: 401, body: "wrong tenant" })],
])("a source that responds with %s harms no other", async (_name, hostile) => {
  const two = await startTwo(healthy(there, "2"));
  await waitFor(() => listed(two.engine).length === 2);
  two.useSecond(hostile);
  expect(failureIn(await two.ask("up_there")).code).toBe("Unavailable");
  expect(await valuesOf(two, "up_here")).toEqual(["1"]);
});

test("a namespace that a source does not serve gets no value, and nothing is sent", async () => {
  const two = await startTwo(healthy(there, "2"), { serves: (namespace) => namespace === "team-a" });
  await waitFor(() => listed(two.engine).length === 2);
  const sent = two.secondRequests();
  expect(failureIn(await two.ask("up_there", "ns"))).toEqual({
    code: "BadRequest",
    message: "the source team-a does not serve the namespace ns",
  });
  expect(two.secondRequests()).toBe(sent);
  expect(valueOf(await two.ask("up_there", "team-a")).map(({ value }) => value)).toEqual(["2"]);
});

test("new rules of a healthy source are in force while another does not respond", async () => {
  const two = await startTwo(hanging);
  await waitFor(() => listed(two.engine).length === 1);
  const renamed = rules.replace("{seriesQuery: up_here,", "{seriesQuery: up_here, name: {as: renamed},");
  await two.engine.useRules(rulesOf(renamed));
  expect(listed(two.engine)).toEqual(["renamed"]);
  expect(await valuesOf(two, "renamed")).toEqual(["1"]);
});
