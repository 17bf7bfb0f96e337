// The formulas of waiting, against a simulation of single requests.
import { expect, test } from "vitest";
import { podCapacity } from "../src/plant/capacity.ts";
import { loadWithin, meanWaitMs, serversOf, waitProbability, waitQuantileMs } from "../src/plant/latency.ts";
import { exponential } from "../src/random/distributions.ts";
import { randomStream } from "../src/random/stream.ts";
import { pod } from "./scenarios.ts";

test("capacity is the lower of slots and cpu", () => {
  expect(podCapacity({ ...pod, limits: {} })).toBe(200);
  expect(podCapacity({ ...pod, limits: { cpu: 0.6 } })).toBeCloseTo(100, 12);
  expect(podCapacity({ ...pod, limits: { cpu: 10 } })).toBe(200);
});

test("Erlang's C by hand", () => {
  // One server: the utilization. Two servers with a = 1: 1/3.
  expect(waitProbability(1, 0.7)).toBeCloseTo(0.7, 12);
  expect(waitProbability(2, 1)).toBeCloseTo(1 / 3, 12);
  expect(waitProbability(2, 0)).toBe(0);
  expect(waitProbability(2, 2)).toBe(1);
  expect(waitProbability(2000, 1000)).toBeLessThan(1e-12);
});

/** Waits of requests that come one by one, in milliseconds: each takes the server that is free first. */
function simulatedWaits(count: number, rate: number, perSecond: number, requests: number): readonly number[] {
  const stream = randomStream(7, "waits");
  const free = new Float64Array(count);
  const waits: number[] = [];
  for (let now = 0; waits.length < requests; ) {
    now += exponential(stream, 1 / perSecond);
    let first = 0;
    for (let server = 1; server < count; server++)
      if ((free[server] ?? 0) < (free[first] ?? 0)) first = server;
    const begin = Math.max(now, free[first] ?? 0);
    free[first] = begin + exponential(stream, 1 / rate);
    waits.push((begin - now) * 1000);
  }
  return waits.slice(requests / 10).sort((a, b) => a - b);
}

test.each([
  [8, 0.7],
  [8, 0.85],
  [16, 0.9],
])("%d servers at %d: mean and 95 % quantile of the wait", (count, utilization) => {
  const servers = { count, rate: 25, variationFactor: 1, queues: 1 };
  const perSecond = utilization * count * 25;
  const waits = simulatedWaits(count, 25, perSecond, 400_000);
  const mean = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
  expect(meanWaitMs(servers, perSecond) / mean).toBeGreaterThan(0.95);
  expect(meanWaitMs(servers, perSecond) / mean).toBeLessThan(1.05);
  const q95 = waits[Math.floor(waits.length * 0.95)] ?? 0;
  expect(waitQuantileMs(servers, perSecond, 0.95) / q95).toBeGreaterThan(0.95);
  expect(waitQuantileMs(servers, perSecond, 0.95) / q95).toBeLessThan(1.05);
});

test("pods with a queue each wait longer than pods with one queue", () => {
  const shared = waitQuantileMs(serversOf(pod, 4), 600, 0.95);
  const random = waitQuantileMs(serversOf({ ...pod, balancing: "random" }, 4), 600, 0.95);
  expect(random).toBeGreaterThan(shared);
});

test("the load within a limit of latency is where the quantile meets it", () => {
  const limit = { quantile: 0.95, withinMs: 60 };
  const load = loadWithin(pod, 4, limit);
  expect(load).toBeGreaterThan(600);
  expect(pod.serviceTimeMs + waitQuantileMs(serversOf(pod, 4), load, 0.95)).toBeCloseTo(60, 3);
  expect(loadWithin(pod, 4, { quantile: 0.95, withinMs: 30 })).toBe(0);
  expect(loadWithin(pod, 0, limit)).toBe(0);
});
