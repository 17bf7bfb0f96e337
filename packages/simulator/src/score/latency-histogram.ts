// Latencies of all requests of a run: few numbers, whatever the length.
import { podCapacity } from "../plant/capacity.ts";
import { serversOf, waitOf } from "../plant/latency.ts";
import type { QueuePiece } from "../plant/queue.ts";
import type { PodModel } from "../scenario.ts";

/** Steps of the utilization. */
const steps = 200;
/** Classes of the latency of requests that queue: of equal ratio. */
const classesPerTenfold = 40;

/** Requests of one utilization, the part of them that waits, and how the rest of those falls with each millisecond. */
interface FreeClass {
  readonly requests: number;
  readonly waits: number;
  readonly perMs: number;
}

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
  /** What each class of the utilization has in its distribution. */
  const freeClasses = (): readonly FreeClass[] =>
    [...free].map(([key, requests]) => {
      const serving = Math.floor(key / steps);
      const load = (((key % steps) + 0.5) / steps) * serving * capacity;
      return { requests, ...waitOf(serversOf(pod, serving), load) };
    });
  const longer = (classes: readonly FreeClass[], ms: number): number => {
    const waitMs = ms - pod.serviceTimeMs;
    let sum = 0;
    for (const { requests, waits, perMs } of classes)
      sum += waitMs < 0 ? requests : requests * waits * Math.exp(-perMs * waitMs);
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
      const classes = freeClasses();
      let [low, high] = [0, 1e9];
      for (let step = 0; step < 60; step++) {
        const middle = (low + high) / 2;
        if (longer(classes, middle) > all * (1 - quantile)) low = middle;
        else high = middle;
      }
      return high;
    },
  };
}

function add(counts: Map<number, number>, key: number, requests: number): void {
  counts.set(key, (counts.get(key) ?? 0) + requests);
}
