// Linux control groups with limits of CPU and memory, for tests.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What Linux gives to the processes of a control group. */
export interface Limits {
  /** Of one processor. */
  readonly cpuPercent?: number;
  readonly memoryBytes?: number;
}

/** A control group, in which processes are limited. */
export interface ControlGroup {
  /** A command begins with this to run in the group. */
  readonly prefix: readonly string[];
  set(limits: Limits): void;
  /** Only when its processes have ended. */
  remove(): void;
}

const cpuPeriodUs = 100_000;
const mounted = "/sys/fs/cgroup";
const noGroups = "no control groups here: they need root and version 1, or a version 2 that is handed down";

/** Undefined when control groups can be made here, else why not. */
export function whyNoControlGroups(): string | undefined {
  if (process.platform !== "linux" || !existsSync(mounted)) return noGroups;
  try {
    createControlGroup({ cpuPercent: 100, memoryBytes: 1 << 30 }).remove();
    return undefined;
  } catch {
    return noGroups;
  }
}

/** @throws where none can be made */
export function createControlGroup(limits: Limits): ControlGroup {
  const isV2 = existsSync(join(mounted, "cgroup.controllers"));
  const roots = isV2 ? [mounted] : [join(mounted, "cpu"), join(mounted, "memory")];
  const folders = roots.map((root) => mkdtempSync(join(root, "plimsoll-test-")));
  const group: ControlGroup = {
    prefix: [
      "sh",
      "-c",
      `for f in ${folders.join(" ")}; do echo $$ > $f/cgroup.procs || exit 1; done; exec "$@"`,
      "sh",
    ],
    set({ cpuPercent, memoryBytes }) {
      if (cpuPercent !== undefined) {
        const quota = Math.round((cpuPeriodUs * cpuPercent) / 100);
        write(isV2 ? "cpu.max" : "cpu.cfs_quota_us", isV2 ? `${quota} ${cpuPeriodUs}` : String(quota));
      }
      if (memoryBytes !== undefined)
        write(isV2 ? "memory.max" : "memory.limit_in_bytes", String(memoryBytes));
    },
    remove() {
      for (const folder of folders) rmdirSync(folder);
    },
  };
  try {
    group.set(limits);
    return group;
  } catch (error) {
    group.remove();
    throw error;
  }

  function write(file: string, text: string): void {
    const folder = folders.find((candidate) => existsSync(join(candidate, file)));
    if (folder === undefined) throw new Error(`no ${file} in ${folders.join(" or ")}`);
    writeFileSync(join(folder, file), text);
  }
}

/** Lets a process open no more files than it has and `more`; the returned function takes that back. Linux only. */
export function limitOpenFiles(pid: number, more = 0): () => void {
  const highest = Math.max(...readdirSync(`/proc/${pid}/fd`).map(Number));
  const before = execFileSync("prlimit", [`--pid=${pid}`, "--nofile", "--noheadings", "--output=SOFT"], {
    encoding: "utf8",
  }).trim();
  const set = (most: string) => {
    execFileSync("prlimit", [`--pid=${pid}`, `--nofile=${most}:`]);
  };
  set(String(highest + 1 + more));
  return () => set(before);
}
