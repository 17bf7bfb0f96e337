// Requests of a workload over time: Little's law.
import { expect, test } from "vitest";
import type { Load } from "../src/index.ts";
import { loadCursor } from "../src/load/cursor.ts";
import { createFlow } from "../src/plant/flow.ts";

const capacity = 200;
const serviceTimeMs = 40;

/** Mean requests in the system, and arrivals × mean time in it, while two pods serve them in the order they came. */
function littleOf(load: Load, untilMs: number) {
  const cursor = loadCursor(load, 0, { seed: 3, purpose: "little" });
  const model = { capacity, serviceTimeMs, queueLimit: Infinity, timeoutMs: Infinity };
  let backlogArea = 0;
  const { flow, advance } = createFlow(model, cursor, 0, (_, piece) => {
    backlogArea += piece.backlogArea;
  });
  flow.serving = 2;
  const stepMs = 50;
  let [timeOfAll, maxBacklog] = [0, 0];
  for (let atMs = stepMs; atMs <= untilMs; atMs += stepMs) {
    const before = { backlog: flow.queue.backlog, offered: flow.offered };
    advance(atMs);
    const seconds = serviceTimeMs / 1000 + (before.backlog + flow.queue.backlog) / 2 / (2 * capacity);
    timeOfAll += (flow.offered - before.offered) * seconds;
    maxBacklog = Math.max(maxBacklog, flow.queue.backlog);
  }
  const inSystem = backlogArea + (flow.served * serviceTimeMs) / 1000;
  return { inSystem, timeOfAll, maxBacklog, left: flow.queue.backlog };
}

const waves: Load = { kind: "sine", mean: 350, amplitude: 150, periodMs: 600_000, peakAtMs: 300_000 };

test.each<[string, Load]>([
  ["waves above the capacity", waves],
  ["waves with noise", { kind: "noise", of: waves, deviation: 0.1, memoryMs: 20_000 }],
])("requests in the system are arrivals times their latency: %s", (_, load) => {
  const { inSystem, timeOfAll, maxBacklog, left } = littleOf(load, 1_800_000);
  expect(maxBacklog).toBeGreaterThan(1000);
  expect(left).toBe(0);
  expect(Math.abs(inSystem / timeOfAll - 1)).toBeLessThan(0.01);
});
