// The last events of the run that a supervised process plays.
import type { Status } from "./status.ts";

export interface LastEvents {
  add(status: Status): void;
  /** The run, its virtual time and its last events; empty between runs. */
  text(): string;
}

const maxEvents = 20;

export function createLastEvents(): LastEvents {
  let seed: number | undefined;
  let atMs = 0;
  let lines: string[] = [];
  return {
    add(status) {
      if (status.kind === "begins") {
        seed = status.seed;
        atMs = 0;
        lines = [];
      } else if (status.kind === "ends") seed = undefined;
      else if (status.kind === "happened") {
        ({ atMs } = status);
        lines.push(`  ${String(atMs)} ${status.line}`);
        if (lines.length > maxEvents) lines.shift();
      }
    },
    text() {
      if (seed === undefined) return "";
      const minutes = (atMs / 60_000).toFixed(2);
      return [`seed ${String(seed)}, ${minutes} min after the start; the last events:`, ...lines].join("\n");
    },
  };
}
