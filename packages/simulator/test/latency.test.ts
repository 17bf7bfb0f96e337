// The formulas of waiting, against a simulation of single requests.
import { expect, test } from "vitest";
import { podCapacity } from "../src/plant/capacity.ts";
import {
  loadWithin,
  type Servers,
  serversOf,
  waitProbability,
  waitQuantileMs,
} from "../src/plant/latency.ts";
import { exponential } from "../src/random/distributions.ts";
import { randomStream } from "../src/random/stream.ts";
import { pod } from "../src/testing/index.ts";

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

/**
 * What requests that come one by one meet: each takes the server that is free first. The rates are those that were drawn, so
 * that their luck is not part of the wait's.
 */
function simulatedWaits(
  drawn: { readonly count: number; readonly rate: number; readonly perSecond: number },
  requests: number,
  boundMs: number,
) {
  const stream = randomStream(7, "waits");
  const free = new Float64Array(drawn.count);
  const skipped = requests / 10;
  let [now, counted, wait, service, beyond, fromSecond] = [0, 0, 0, 0, 0, 0];
  for (let request = 0; request < requests; request++) {
    now += exponential(stream, 1 / drawn.perSecond);
    let first = 0;
    for (let server = 1; server < free.length; server++)
      if ((free[server] ?? 0) < (free[first] ?? 0)) first = server;
    const begin = Math.max(now, free[first] ?? 0);
    const seconds = exponential(stream, 1 / drawn.rate);
    free[first] = begin + seconds;
    if (request < skipped) fromSecond = now;
    else {
      counted++;
      wait += begin - now;
      service += seconds;
      if ((begin - now) * 1000 > boundMs) beyond++;
    }
  }
  return {
    meanMs: (wait / counted) * 1000,
    beyond: beyond / counted,
    rate: counted / service,
    perSecond: counted / (now - fromSecond),
  };
}

/** Mean time that a request waits, in milliseconds, at so many requests per second in all. */
function meanWaitMs(servers: Servers, perSecond: number): number {
  const { count, rate, variationFactor, queues } = servers;
  const arriving = perSecond / queues;
  const spare = count * rate - arriving;
  if (spare <= 0) return Infinity;
  return (waitProbability(count, arriving / rate) / spare) * variationFactor * 1000;
}

test.each([
  [8, 0.7, 2_000_000],
  [8, 0.8, 3_000_000],
  [4, 0.9, 6_000_000],
])(
  "%d servers at %d: mean and 95th percentile of the wait, over %d requests",
  (count, utilization, requests) => {
    const rate = 25;
    const perSecond = utilization * count * rate;
    const one = { count, rate, variationFactor: 1, queues: 1 };
    const bound = waitQuantileMs(one, perSecond, 0.95);
    const found = simulatedWaits({ count, rate, perSecond }, requests, bound);
    const formula = meanWaitMs({ ...one, rate: found.rate }, found.perSecond);
    expect(Math.abs(formula / found.meanMs - 1)).toBeLessThan(0.013);
    expect(Math.abs(found.beyond - 0.05)).toBeLessThan(0.003);
  },
);

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
