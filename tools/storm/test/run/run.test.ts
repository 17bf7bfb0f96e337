import { expect, test } from "vitest";
import { createCluster } from "../../src/cluster/cluster.ts";
import { lagFaults } from "../../src/faults/lag.ts";
import { clockFaults } from "../../src/faults/machines.ts";
import { processFaults } from "../../src/faults/processes.ts";
import { requestFaults } from "../../src/faults/requests.ts";
import { watchFaults } from "../../src/faults/watches.ts";
import type { Program } from "../../src/process/processes.ts";
import { createPrometheus } from "../../src/prometheus/simulated-prometheus.ts";
import { createRandom } from "../../src/random/random.ts";
import type { Parts } from "../../src/run/parts.ts";
import { runScenario } from "../../src/run/run.ts";
import type { CreateInvariant, World } from "../../src/run/world.ts";
import { drawScenario } from "../../src/scenario/draw.ts";
import { processNames, type Scenario, type Setup } from "../../src/scenario/scenario.ts";

const setup: Setup = {
  autoscalers: 2,
  adapters: 0,
  coordination: "alone",
  objects: [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "count", namespace: "shop" },
      data: { at: "0" },
    },
  ],
};

const tables = { ...requestFaults, ...watchFaults, ...processFaults, ...clockFaults, ...lagFaults };

const path = "/api/v1/namespaces/shop/configmaps/count";

/** Counts up in a ConfigMap every second, as long as the API server lets it. */
function counter({ network, cluster }: World): Program {
  return (process) => {
    const client = network.clientOf(process, cluster.server);
    async function count(): Promise<void> {
      const found = await client.request<{ data: { at: string } }>({ path });
      const at = String(Number(found.data.at) + 1);
      await client.request({ method: "PUT", path, body: { ...found, data: { at } } });
    }
    function again(): void {
      process.clock.after(1000, again);
      count().catch(() => {});
    }
    again();
    return { stop: () => Promise.resolve() };
  };
}

function partsWith(program: (world: World) => Program, invariants: readonly CreateInvariant[] = []): Parts {
  return {
    createCluster,
    createPrometheus,
    programs: (world) => new Map(processNames(setup).map((name) => [name, program(world)])),
    faults: tables,
    invariants,
  };
}

function drawn(seed: number): Scenario {
  return drawScenario(seed, { faults: tables, drawSetup: () => setup, hours: 0.3 });
}

/** Violated when the count reaches 100. */
const isSmall: CreateInvariant = () => ({
  name: "small",
  observe: (seen) =>
    seen.kind === "written" && (seen.event.object["data"] as { at?: string } | undefined)?.at === "100"
      ? `${seen.writer} counted to 100`
      : undefined,
});

const calm: Scenario = { seed: 1, startMs: 0, stormMs: 60_000, quietMs: 60_000, setup, events: [] };

test("a run is a function of its scenario, and seeds differ", async () => {
  const hashes: string[] = [];
  for (const seed of [1, 1, 2]) hashes.push((await runScenario(drawn(seed), partsWith(counter))).hash);
  expect(hashes[0]).toBe(hashes[1]);
  expect(hashes[2]).not.toBe(hashes[0]);
});

test.each(Object.keys(tables))("%s begins and ends on processes that only count", async (kind) => {
  const random = createRandom(1);
  const events = [1, 2, 3].map((id) => {
    const details = tables[kind]?.draw(random.stream(String(id)), setup) ?? {};
    return { id, atMs: id * 20_000, forMs: tables[kind]?.maxForMs === undefined ? 0 : 30_000, kind, details };
  });
  let ends = 0;
  const countEnds: CreateInvariant = () => ({
    name: "ends",
    observe(seen) {
      if (seen.kind === "fault" && seen.change === "ends") ends += 1;
      return undefined;
    },
  });
  let last = 0;
  const countsAtEnd: CreateInvariant = (world) => ({
    name: "counts again",
    observe(seen) {
      if (seen.kind === "written" && seen.writer.startsWith("autoscaler")) last = world.time.nowMs;
      return undefined;
    },
    end: () => (world.time.nowMs - last > 5000 ? `the last count was at ${last}` : undefined),
  });
  const scenario = { ...calm, stormMs: 110_000, events };
  const result = await runScenario(scenario, partsWith(counter, [countEnds, countsAtEnd]));
  expect(result.violation).toBeUndefined();
  expect(result.faults).toEqual(new Map([[kind, 3]]));
  expect(ends).toBe(3);
});

test("a violation ends the run at once, and the trace says when", async () => {
  let trace = "";
  const { violation, simulatedMs } = await runScenario(calm, partsWith(counter, [isSmall]), {
    writeTrace: (text) => (trace += text),
  });
  expect(violation).toMatchObject({ invariant: "small" });
  expect(violation?.message).toMatch(/^autoscaler-\d counted to 100$/);
  expect(simulatedMs).toBe(violation?.atMs);
  expect(trace).toContain("process autoscaler-0 started");
  expect(trace.trimEnd().split("\n").at(-1)).toBe(
    `${simulatedMs} violation small: ${violation?.message ?? ""}`,
  );
});

test("an invariant is asked at the end, after the quiet time", async () => {
  const atEnd: CreateInvariant = (world) => ({
    name: "end",
    end: () => `it is ${world.time.nowMs}`,
  });
  const { violation } = await runScenario(calm, partsWith(counter, [atEnd]));
  expect(violation).toEqual({ invariant: "end", message: "it is 120000", atMs: 120_000 });
});

test.each([
  [
    "throws",
    () => {
      throw new Error("broken");
    },
  ],
  ["does not handle a rejection", () => void Promise.reject(new Error("broken"))],
  [
    "throws in a listener",
    () => {
      const controller = new AbortController();
      controller.signal.addEventListener("abort", () => {
        throw new Error("broken");
      });
      controller.abort();
    },
  ],
])("a process that %s fails the run", async (_, fail) => {
  const program: Program = (process) => {
    process.clock.after(1000, fail);
    return { stop: () => Promise.resolve() };
  };
  const { violation } = await runScenario(
    calm,
    partsWith(() => program),
  );
  expect(violation).toMatchObject({
    invariant: "unhandled-error",
    message: expect.stringContaining("broken") as string,
  });
});

test("a process that reads the real clock fails the run", async () => {
  const program: Program = (process) => {
    process.clock.after(1000, () => void Date.now());
    return { stop: () => Promise.resolve() };
  };
  const { violation } = await runScenario(
    calm,
    partsWith(() => program),
  );
  expect(violation).toMatchObject({ invariant: "guard" });
  expect(violation?.message).toMatch(/^Date\.now is called .*run\.test\.ts/);
});

test("an interrupted run ends without a result", async () => {
  const interruption = new AbortController();
  const program: Program = (process) => {
    process.clock.after(1000, () => interruption.abort());
    return { stop: () => Promise.resolve() };
  };
  const result = await runScenario(
    calm,
    partsWith(() => program, [() => ({ name: "end", end: () => "asked" })]),
    { signal: interruption.signal },
  );
  expect(result.violation).toBeUndefined();
  expect(result.simulatedMs).toBeLessThan(5000);
});
