// Reads the CPU time and memory of a process from /proc.
import { readdirSync, readFileSync } from "node:fs";

/** CPU seconds, user and system, that a process's threads have used. Nanoseconds where the kernel counts them. */
export function cpuSeconds(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
    } catch {
      // The thread ended while we looked.
    }
  }
  return nanoseconds / 1e9;
}

export interface Memory {
  readonly residentMb: number;
  readonly peakMb: number;
}

export function memory(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? NaN);
  return {
    residentMb: Math.round(kilobytes("VmRSS") / 1024),
    peakMb: Math.round(kilobytes("VmHWM") / 1024),
  };
}
