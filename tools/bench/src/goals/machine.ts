// What a figure depends on beside the code: the processor, what else runs on it, and the commit.
import { execFileSync } from "node:child_process";
import { availableParallelism, cpus, loadavg } from "node:os";
import type { Machine } from "./result.ts";

/** Call it before a measurement, and the result of it afterwards. */
export function describeMachine(): () => Machine {
  const before = loadNow();
  return () => ({
    commit: commit(),
    at: `${new Date().toISOString().slice(0, 16)}Z`,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    node: process.versions.node,
    load: [before, loadNow()],
  });
}

function loadNow(): number {
  return Math.round((loadavg()[0] ?? NaN) * 10) / 10;
}

/** With a mark when files differ from it. */
function commit(): string {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  try {
    // A run that fills the file of results has not changed what it measures.
    const paths = ["../../../../packages", "../../../../tools", ":(top,exclude)tools/bench/results.json"];
    const isChanged = git("status", "--porcelain", "--untracked-files=no", "--", ...paths) !== "";
    return `${git("rev-parse", "--short=8", "HEAD")}${isChanged ? " with changes" : ""}`;
  } catch {
    return "unknown";
  }
}
