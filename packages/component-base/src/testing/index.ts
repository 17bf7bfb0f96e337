// What tests of several packages share.
import { readdirSync } from "node:fs";
import { mebibyte } from "@plimsoll/core/internal/values";

export { freePort } from "./free-port.ts";
export {
  type ControlGroup,
  createControlGroup,
  type Limits,
  limitOpenFiles,
  whyNoControlGroups,
} from "./limits.ts";
export { type ManualClock, manualClock } from "./manual-clock.ts";
export { type NameServer, startNameServer, whyNoNameServer } from "./name-server.ts";
export { createTimerHeap } from "./timer-heap.ts";

/** What a process holds at one moment. */
export interface Held {
  readonly heapMiB: number;
  readonly handles: number;
  readonly files: number;
}

/** Reads its metrics and /proc. */
export function heldBy(pid: number, metrics: string): Held {
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1]);
  return {
    heapMiB: value("nodejs_heap_size_used_bytes") / mebibyte,
    handles: value("nodejs_active_handles_total"),
    files: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** How much more the least of the last third is than the least of the first. */
export function growthOf(samples: readonly Held[]): Held {
  const third = Math.max(1, Math.floor(samples.length / 3));
  const least = (some: readonly Held[], of: (held: Held) => number) => Math.min(...some.map(of));
  const grown = (of: (held: Held) => number) =>
    least(samples.slice(-third), of) - least(samples.slice(0, third), of);
  return {
    heapMiB: grown(({ heapMiB }) => heapMiB),
    handles: grown(({ handles }) => handles),
    files: grown(({ files }) => files),
  };
}

/** Flags of node with which a process collects its garbage at SIGUSR2, so that what is left can be measured. */
export const collectsAtSignal: readonly string[] = [
  "--expose-gc",
  "--import",
  `data:text/javascript,process.on("SIGUSR2", () => globalThis.gc())`,
];
