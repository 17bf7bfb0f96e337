import { expect, test } from "vitest";
import { createCluster } from "../../src/cluster/cluster.ts";
import { requestFaults } from "../../src/faults/requests.ts";
import type { Program } from "../../src/process/processes.ts";
import { createPrometheus } from "../../src/prometheus/simulated-prometheus.ts";
import { runScenario } from "../../src/run/run.ts";
import type { World } from "../../src/run/world.ts";

const url = "http://prometheus:9090/api/v1/query?query=sum(up)";

/** Asks the API server and Prometheus every second, and notes when it sent what they responded to. */
function caller(
  { network, cluster, prometheus, scenario, time }: World,
  responded: Record<string, number[]>,
) {
  const program: Program = (process) => {
    const client = network.clientOf(process, cluster.server);
    const fetch = prometheus.fetchOf(process);
    const note = (what: string, atMs: number, call: Promise<unknown>): void => {
      const add = () => (responded[what] = [...(responded[what] ?? []), atMs]);
      call.then(add, () => undefined);
    };
    function again(): void {
      process.clock.after(1000, again);
      const ending = new AbortController();
      process.clock.after(900, () => ending.abort());
      const { signal } = ending;
      const atMs = time.nowMs - scenario.startMs;
      note("kube", atMs, client.request({ path: "/api/v1/namespaces/default", signal }));
      note("prometheus", atMs, fetch(url, { method: "GET", headers: {}, redirect: "manual", signal }));
    }
    process.clock.after(1000, again);
    return { stop: () => Promise.resolve() };
  };
  return program;
}

test("a process that is cut off reaches neither the API server nor Prometheus, and another one reaches both", async () => {
  const responded = [{}, {}] as [Record<string, number[]>, Record<string, number[]>];
  const { violation } = await runScenario(
    {
      seed: 1,
      startMs: Date.parse("2026-05-01T10:00:00Z"),
      stormMs: 20_000,
      quietMs: 10_000,
      setup: { autoscalers: 0, adapters: 2, coordination: "alone", objects: [] },
      events: [{ id: 1, atMs: 10_000, forMs: 10_000, kind: "cut-off", details: { process: "adapter-0" } }],
    },
    {
      createCluster,
      createPrometheus,
      programs: (world) =>
        new Map(responded.map((of, index) => [`adapter-${String(index)}`, caller(world, of)])),
      faults: requestFaults,
      invariants: [],
    },
  );
  expect(violation).toBeUndefined();
  const during = responded.map((of) =>
    ["kube", "prometheus"].map((what) => (of[what] ?? []).filter((atMs) => atMs > 10_000 && atMs < 20_000)),
  );
  expect(during.map((of) => of.map(({ length }) => length))).toEqual([
    [0, 0],
    [10, 10],
  ]);
  for (const what of ["kube", "prometheus"])
    expect(responded[0][what]?.filter((atMs) => atMs > 20_000).length).toBeGreaterThan(5);
});
