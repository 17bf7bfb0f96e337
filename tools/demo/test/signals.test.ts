import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { prometheusProgram, until } from "@plimsoll/testbed";
import { testFolder } from "@plimsoll/testbed/world";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { startGuard } from "../src/guard.ts";

const local = (name: string) => fileURLToPath(new URL(name, import.meta.url));

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const setup = local("../../../scripts/setup.mjs");
const demo = local("../src/main.ts");

test("a closed terminal ends the demo, its hung child and its folder", async () => {
  const run = spawn(process.execPath, [setup, "--prometheus", "--", "node", demo, "--fast"], {
    env: { ...process.env, PROMETHEUS: prometheusProgram(), TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void run.kill("SIGKILL"));
  const ended = once(run, "exit");
  run.stdout.resume();
  const adapter = await until("the adapter", () => childOf(run.pid, "metrics-adapter/src/main.ts"));
  const prometheus = await until("Prometheus", () => childOf(run.pid, "--storage.tsdb.path="));
  onTestFinished(() => [adapter, prometheus].filter(isAlive).forEach((pid) => process.kill(pid, "SIGKILL")));
  process.kill(adapter, "SIGSTOP");
  run.kill("SIGHUP");

  expect((await ended)[0]).toBe(129);
  for (const pid of [adapter, prometheus]) await until(`the end of ${pid}`, () => !isAlive(pid) || undefined);
  expect(readdirSync(folder)).toEqual([]);
});

test("a demo that is killed leaves no child and no folder", async () => {
  const own = join(folder, "demo");
  mkdirSync(join(own, "data"), { recursive: true });
  const hung = spawn("sh", ["-c", "trap '' TERM; echo up; while :; do sleep 1; done"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(hung.stdout, "data");
  const guard = startGuard(own, new AbortController().signal);
  guard.watch(hung);
  // What is left of a killed process: its end of the pipe is closed.
  guard.close();
  expect((await once(hung, "exit"))[1]).toBe("SIGKILL");
  await until("the folder to go", () => !existsSync(own) || undefined);
});

test("a child that starts after the interruption is killed at once", async () => {
  const guard = startGuard(join(folder, "demo"), AbortSignal.abort());
  const late = spawn("sleep", ["60"], { stdio: "ignore" });
  guard.watch(late);
  expect((await once(late, "exit"))[1]).toBe("SIGKILL");
  guard.close();
});

/** A descendant by a part of its command line. */
function childOf(pid: number | undefined, part: string): number | undefined {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map(([, own, parent, args = ""]) => ({ pid: Number(own), parent: Number(parent), args }));
  const family = new Set([pid]);
  // A parent may come behind its child where process ids have wrapped around.
  for (let grown = -1; grown !== family.size; ) {
    grown = family.size;
    for (const row of rows) if (family.has(row.parent)) family.add(row.pid);
  }
  return rows.find(
    (row) =>
      family.has(row.pid) && row.pid !== pid && row.args.includes(part) && !row.args.includes("setup.mjs"),
  )?.pid;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
