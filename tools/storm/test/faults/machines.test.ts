import { expect, test } from "vitest";
import { createCluster } from "../../src/cluster/cluster.ts";
import { machineFaults } from "../../src/faults/machines.ts";
import { processFaults } from "../../src/faults/processes.ts";
import type { Program } from "../../src/process/processes.ts";
import { createPrometheus } from "../../src/prometheus/simulated-prometheus.ts";
import { runScenario } from "../../src/run/run.ts";
import type { World } from "../../src/run/world.ts";
import type { PlannedEvent } from "../../src/scenario/scenario.ts";

const names = ["autoscaler-0", "autoscaler-1"];
const idle: Program = () => ({ stop: () => Promise.resolve() });

/** Plays the events with processes that do nothing; what a look sees at each of these moments. */
async function play<T>(
  events: readonly Omit<PlannedEvent, "id">[],
  atMs: readonly number[],
  look: (world: World) => T,
) {
  const seen: T[] = [];
  const changes: string[] = [];
  const { violation } = await runScenario(
    {
      seed: 1,
      startMs: 0,
      stormMs: 600_000,
      quietMs: 60_000,
      setup: { autoscalers: names.length, adapters: 0, coordination: "leader", objects: [] },
      events: events.map((event, id) => ({ ...event, id })),
    },
    {
      createCluster,
      createPrometheus,
      programs: () => new Map(names.map((name) => [name, idle])),
      faults: { ...machineFaults, ...processFaults },
      invariants: [
        (world) => {
          for (const at of atMs) world.time.after(at, () => void seen.push(look(world)));
          return {
            name: "none",
            observe(observation) {
              if (observation.kind === "process")
                changes.push(`${observation.process} ${observation.change}`);
              return undefined;
            },
          };
        },
      ],
    },
  );
  expect(violation).toBeUndefined();
  return { seen, changes };
}

const aheadOf = ({ processes, time }: World) =>
  names.map((name) => {
    const process = processes.get(name);
    return process === undefined ? undefined : process.clock.nowMs() - time.nowMs;
  });

test("machines restart, their clocks are set forward later, and set back at the end", async () => {
  const { seen } = await play(
    [
      {
        atMs: 10_000,
        forMs: 100_000,
        kind: "wall-clock-after-restart",
        details: { process: "", downMs: 5000, afterMs: 20_000, byMs: 600_000 },
      },
    ],
    [9000, 12_000, 20_000, 40_000, 120_000],
    aheadOf,
  );
  expect(seen).toEqual([
    [0, 0],
    [undefined, undefined],
    [0, 0],
    [600_000, 600_000],
    [0, 0],
  ]);
});

test("where the fault ends before, the machine is up again and its clock is not set", async () => {
  const { seen } = await play(
    [
      {
        atMs: 10_000,
        forMs: 2000,
        kind: "wall-clock-after-restart",
        details: { process: "autoscaler-1", downMs: 5000, afterMs: 1000, byMs: 600_000 },
      },
    ],
    [11_000, 13_000, 30_000],
    aheadOf,
  );
  expect(seen).toEqual([
    [0, undefined],
    [0, 0],
    [0, 0],
  ]);
});

test("the autoscalers are replaced one after the other until the end", async () => {
  const { changes } = await play(
    [
      {
        atMs: 10_000,
        forMs: 50_000,
        kind: "autoscalers-rolled",
        details: {
          process: "",
          of: "leases",
          probability: 1,
          requestMs: 10,
          responseMs: 1000,
          downMs: 1000,
          everyMs: 19_000,
        },
      },
    ],
    [],
    () => undefined,
  );
  const replaced = (name: string) => [`${name} stopping`, `${name} stopped`, `${name} started`];
  expect(changes.slice(2, -2)).toEqual(["autoscaler-0", "autoscaler-1", "autoscaler-0"].flatMap(replaced));
});

test("in an outage nothing else starts an autoscaler", async () => {
  const details = { process: "autoscaler-0", point: "now", skip: 0, order: "timers-first" };
  const { seen } = await play(
    [
      { atMs: 10_000, forMs: 20_000, kind: "kill", details },
      { atMs: 15_000, forMs: 100_000, kind: "outage", details: {} },
    ],
    [14_000, 60_000, 120_000],
    ({ processes }) => names.map((name) => processes.get(name) !== undefined),
  );
  expect(seen).toEqual([
    [false, true],
    [false, false],
    [true, true],
  ]);
});
