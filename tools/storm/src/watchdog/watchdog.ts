// Interrupts what never ends by itself: nothing on a thread can leave an endless chain of promise jobs on it.
import { Worker } from "node:worker_threads";
import { beatCount, interruptionCount } from "./counts.ts";

/** Watches whether the event loop of the main thread turns. */
export interface Watchdog {
  /** How often it has interrupted the main thread; known to what runs next there, be it in the same turn. */
  readonly interruptions: number;
  /** Calls it in a later turn than that of each interruption. Returns what ends that. */
  onInterrupt(listener: () => void): () => void;
  stop(): Promise<void>;
}

const beatMs = 100;
/** No step takes as much time of the CPU; other processes may have it meanwhile. */
const defaultLimitMs = 30_000;

/** To be made on the main thread, and before a run: the guard refuses threads and timers. */
export async function createWatchdog(limitMs = defaultLimitMs): Promise<Watchdog> {
  const counts = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const beating = setInterval(() => Atomics.add(counts, beatCount, 1), beatMs);
  const listeners = new Set<() => void>();
  const worker = new Worker(new URL("./interrupt.ts", import.meta.url), { workerData: { counts, limitMs } });
  await new Promise<void>((resolve, reject) => {
    worker.once("online", resolve);
    worker.once("error", reject);
  });
  worker.on("message", () => {
    for (const listener of Array.from(listeners)) listener();
  });
  return {
    get interruptions() {
      return Atomics.load(counts, interruptionCount);
    },
    onInterrupt(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      clearInterval(beating);
      await worker.terminate();
    },
  };
}
