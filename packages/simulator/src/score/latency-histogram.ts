// Latencies of all requests of a run: few numbers, whatever the length.
import type { PodModel } from "../loop/scenario.ts";
import { podCapacity } from "../plant/capacity.ts";
import { serversOf, waitsLonger } from "../plant/latency.ts";
import type { QueuePiece } from "../plant/queue.ts";

/** Steps of the utilization. */
const steps = 200;
/** Classes of the latency of requests that queue: of equal ratio. */
const classesPerTenfold = 40;

/** Where requests are counted. */
export interface LatencyHistogram {
  add(piece: QueuePiece, serving: number): void;
  /** In milliseconds; undefined where nothing was counted. */
  quantile(quantile: number): number | undefined;
}

/**
 * Counts requests by the utilization at which they were served, and those that queued by how long they took. Each
 * utilization has its distribution; the quantile is that of all of them together.
 */
export function createLatencyHistogram(pod: PodModel): LatencyHistogram {
  const capacity = podCapacity(pod);
  /** By pods × utilization. */
  const free = new Map<number, number>();
  const queued = new Map<number, number>();
  const longer = (ms: number): number => {
    let sum = 0;
    for (const [key, requests] of free) {
      const serving = Math.floor(key / steps);
      const load = (((key % steps) + 0.5) / steps) * serving * capacity;
      sum += requests * waitsLonger(serversOf(pod, serving), load, ms - pod.serviceTimeMs);
    }
    for (const [key, requests] of queued) if (10 ** (key / classesPerTenfold) > ms) sum += requests;
    return sum;
  };
  return {
    add(piece, serving) {
      if (piece.served <= 0 || serving === 0) return;
      if (piece.isFree) {
        const load = (piece.loadFrom + piece.loadTo) / 2 / (serving * capacity);
        add(free, serving * steps + Math.min(steps - 1, Math.floor(load * steps)), piece.served);
        return;
      }
      const waiting = (piece.backlogFrom + piece.backlogTo) / 2 / (serving * capacity);
      const ms = pod.serviceTimeMs + waiting * 1000;
      add(queued, Math.round(Math.log10(Math.max(ms, 1e-3)) * classesPerTenfold), piece.served);
    },
    quantile(quantile) {
      const all = [...free.values(), ...queued.values()].reduce((sum, requests) => sum + requests, 0);
      if (all === 0) return undefined;
      let [low, high] = [0, 1e9];
      for (let step = 0; step < 60; step++) {
        const middle = (low + high) / 2;
        if (longer(middle) > all * (1 - quantile)) low = middle;
        else high = middle;
      }
      return high;
    },
  };
}

function add(counts: Map<number, number>, key: number, requests: number): void {
  counts.set(key, (counts.get(key) ?? 0) + requests);
}
