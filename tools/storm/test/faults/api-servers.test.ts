import { expect, test } from "vitest";
import { createCluster } from "../../src/cluster/cluster.ts";
import { lagFaults } from "../../src/faults/lag.ts";
import type { Program } from "../../src/process/processes.ts";
import { createPrometheus } from "../../src/prometheus/simulated-prometheus.ts";
import { runScenario } from "../../src/run/run.ts";
import type { World } from "../../src/run/world.ts";

const path = "/api/v1/namespaces/default/configmaps";

/** Reads a ConfigMap that is written every second, from the store and from a cache. */
function reader({ network, cluster }: World, seen: { readonly stored: number[]; readonly cached: number[] }) {
  const program: Program = (process) => {
    const client = network.clientOf(process, cluster.server);
    async function read(query: Readonly<Record<string, string>>): Promise<number> {
      const { data } = await client.request<{ data: { at: string } }>({ path: `${path}/count`, query });
      return Number(data.at);
    }
    async function look(): Promise<void> {
      seen.stored.push(await read({}));
      seen.cached.push(await read({ resourceVersion: "0" }));
    }
    function again(): void {
      process.clock.after(1000, again);
      void look();
    }
    process.clock.after(2000, again);
    return { stop: () => Promise.resolve() };
  };
  return program;
}

async function play(by: "process" | "connection") {
  const seen = { stored: [] as number[], cached: [] as number[] };
  const details = { lagMs: 20_000, process: "autoscaler-0", by, share: 0.5, everyMs: 10_000 };
  const scenario = {
    seed: 1,
    startMs: 0,
    stormMs: 300_000,
    quietMs: 60_000,
    setup: { autoscalers: 1, adapters: 0, coordination: "alone" as const, objects: [] },
    events: [{ id: 1, atMs: 60_000, forMs: 120_000, kind: "api-servers-apart", details }],
  };
  const { violation } = await runScenario(scenario, {
    createCluster,
    createPrometheus,
    programs(world) {
      const { cluster, time } = world;
      const object = (at: number) => ({ metadata: { name: "count", namespace: "default" }, data: { at } });
      let count = 0;
      cluster.as("user", (store) => store.create("configmaps", object(count)));
      const write = (): void => {
        count += 1;
        cluster.as("user", (store) => store.update("configmaps", object(count)));
        time.after(1000, write);
      };
      write();
      return new Map([["autoscaler-0", reader(world, seen)]]);
    },
    faults: lagFaults,
    invariants: [],
  });
  expect(violation).toBeUndefined();
  return seen;
}

/** How often a read was older than the one before it. */
function stepsBack(values: readonly number[]): number {
  return values.filter((value, index) => value < (values[index - 1] ?? 0)).length;
}

test.each(["process", "connection"] as const)(
  "a process whose connections go from one API server to the other reads older states, by %s",
  async (by) => {
    const { stored, cached } = await play(by);
    expect(stored.length).toBeGreaterThan(300);
    expect(stepsBack(stored)).toBe(0);
    expect(stepsBack(cached.slice(55, 175))).toBeGreaterThan(1);
    expect(stepsBack(cached.slice(0, 55))).toBe(0);
    expect(stepsBack(cached.slice(185))).toBe(0);
  },
);
