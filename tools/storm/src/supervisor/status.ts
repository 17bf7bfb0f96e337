// What a process that plays runs reports of them to the process that supervises it, as lines of JSON.
import { writeSync } from "node:fs";

export type Status =
  /** The event loop turns. */
  | { readonly kind: "alive" }
  | { readonly kind: "begins"; readonly seed: number }
  | { readonly kind: "happened"; readonly atMs: number; readonly line: string }
  | { readonly kind: "ends" };

/** The file descriptor that the supervising process opens for reports. */
const statusFd = 3;
const aliveMs = 1000;

/** A report has left the process when this returns: nothing is lost when the process hangs or crashes right after it. */
export function reportStatus(status: Status): void {
  writeSync(statusFd, `${JSON.stringify(status)}\n`);
}

/** Reports every second that the event loop turns. To be called before a run: the guard refuses timers. Returns what ends it. */
export function reportAlive(report: (status: Status) => void = reportStatus): () => void {
  const timer = setInterval(() => report({ kind: "alive" }), aliveMs);
  return () => clearInterval(timer);
}
