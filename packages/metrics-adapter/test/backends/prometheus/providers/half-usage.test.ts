import { Registry } from "prom-client";
import { afterEach, expect, test } from "vitest";
import { podWith } from "../cluster.ts";
import { failureIn, type Harness, required, startHarness, valueOf } from "../harness.ts";
import { answer, ask, both, type Row, rules } from "./usage.ts";

let harness: Harness;

afterEach(() => harness.stop());

const named = (...names: readonly string[]): readonly object[] => names.map((name) => ({ name }));
const running = (name: string) => ({ name, state: { running: { startedAt: "2026-01-01T00:00:00Z" } } });
const ended = (name: string) => ({ name, state: { terminated: { exitCode: 0 } } });
const waiting = (name: string) => ({ name, state: { waiting: { reason: "CrashLoopBackOff" } } });

const sidecar = { name: "proxy", restartPolicy: "Always" };
const onlyMemory = (container: string) => ({ labels: { pod: "a", container }, memory: "0" });
const onlyCpu = (container: string) => ({ labels: { pod: "a", container }, cpu: "0.1" });

test.each<[string, object, object, Row]>([
  ["an init container with memory", { initContainers: named("other") }, {}, onlyMemory("other")],
  ["an init container with cpu", { initContainers: named("other") }, {}, onlyCpu("other")],
  [
    "an init container without number",
    { initContainers: named("other") },
    {},
    { ...onlyCpu("other"), memory: "NaN" },
  ],
  [
    "a container that ended",
    { containers: named("main", "other") },
    { containerStatuses: [running("main"), ended("other")] },
    onlyCpu("other"),
  ],
  [
    "a container that waits for its restart",
    { containers: named("main", "other") },
    { containerStatuses: [running("main"), waiting("other")] },
    onlyCpu("other"),
  ],
  [
    "a sidecar that ended",
    { initContainers: [{ ...sidecar, name: "other" }] },
    { initContainerStatuses: [ended("other")] },
    onlyMemory("other"),
  ],
  ["an ephemeral container", { ephemeralContainers: named("other") }, {}, onlyMemory("other")],
  ["a container of a former pod of this name", {}, {}, onlyMemory("other")],
])("half a reading costs a pod nothing where it is of %s", async (_name, spec, status, half) => {
  const metadata = { namespace: "ns", name: "a" };
  const one = podWith(metadata, { containers: named("main"), ...spec }, { phase: "Running", ...status });
  const rows = [{ labels: { pod: "a", container: "main" }, ...both }, half];
  harness = await startHarness({ rules, objects: { pods: [one] }, query: answer(rows) });
  const [found] = valueOf(await required(harness.engine.resource).pods(ask({ name: "a" })));
  expect(found?.containers).toEqual([{ name: "main", usage: { cpu: "250m", memory: "1Mi" } }]);
  expect(harness.log.filter(({ level }) => level === "warn")).toEqual([]);
});

test.each([
  ["container", { containers: named("main", "other") }],
  ["sidecar", { initContainers: [{ ...sidecar, name: "other" }] }],
])("a pod whose running %s has half a reading is left out, counted and logged", async (_name, spec) => {
  const registry = new Registry();
  const pods = [
    podWith({ namespace: "ns", name: "a" }, { containers: named("main"), ...spec }),
    podWith({ namespace: "ns", name: "new" }, { containers: named("main") }),
  ];
  const rows = [{ labels: { pod: "a", container: "main" }, ...both }, onlyMemory("other")];
  harness = await startHarness({ rules, registry, objects: { pods }, query: answer(rows) });
  const provider = required(harness.engine.resource);
  expect(valueOf(await provider.pods(ask()))).toEqual([]);
  const cause = "its container other has memory usage and no cpu usage";
  expect(failureIn(await provider.pods(ask({ name: "a" }))).message).toBe(
    `podmetrics.metrics.k8s.io "ns/a" not found: ${cause}`,
  );
  expect(harness.log.filter(({ level }) => level === "warn")).toMatchObject([
    { message: "objects are left out of a list", fields: { namespace: "ns", name: "a", cause } },
  ]);
  const text = await registry.metrics();
  expect(text).toContain('plimsoll_adapter_usage_left_out_total{resource="pods",reason="no_cpu"} 2');
  expect(text).toContain('plimsoll_adapter_usage_left_out_total{resource="pods",reason="no_usage"} 1');
  expect(text).toContain('plimsoll_adapter_usage_left_out_total{resource="nodes",reason="no_cpu"} 0');
});

test("the usage of a pod is read anew when one of its containers ends", async () => {
  const spec = { containers: named("main", "other") };
  const objects = { pods: [podWith({ namespace: "ns", name: "a" }, spec)] };
  const rows = [{ labels: { pod: "a", container: "main" }, ...both }, onlyCpu("other")];
  harness = await startHarness({ rules, objects, query: answer(rows), resultMaxAgeMs: 60_000 });
  const provider = required(harness.engine.resource);
  expect(valueOf(await provider.pods(ask()))).toEqual([]);
  const status = { phase: "Running", containerStatuses: [running("main"), ended("other")] };
  harness.cluster.put("pods", podWith({ namespace: "ns", name: "a" }, spec, status));
  expect(valueOf(await provider.pods(ask()))).toHaveLength(1);
});

test("a result without the label of the pods is an error that says so", async () => {
  const objects = { pods: [podWith({ namespace: "ns", name: "a" }, { containers: named("main") })] };
  const ungrouped = rules.replaceAll(" by (<<.GroupBy>>)", "");
  harness = await startHarness({ rules: ungrouped, objects, query: answer([{ labels: {}, ...both }]) });
  expect(failureIn(await required(harness.engine.resource).pods(ask())).message).toBe(
    "unable to fetch metrics: resourceRules.cpu cannot be read: the result has no label pod; end the query with by (<<.GroupBy>>)",
  );
});
