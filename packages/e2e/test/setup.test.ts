import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { runToEnd, until } from "@plimsoll/testbed";
import { expect, onTestFinished, test } from "vitest";

const setup = fileURLToPath(new URL("../../../scripts/setup.mjs", import.meta.url));

test("a Prometheus that is not there is one line with the remedy, and nothing runs", async () => {
  const ending = await runToEnd(process.execPath, [setup, "--prometheus", "--", "echo", "the command ran"], {
    PROMETHEUS: "/no/such/prometheus",
  });
  expect(ending.code).toBe(1);
  expect(ending.stdout).toBe("");
  expect(ending.stderr.trim().split("\n").at(-1)).toMatch(
    /^plimsoll: PROMETHEUS=\/no\/such\/prometheus is not a program; .*apt-get install prometheus.*brew.*docker/,
  );
  expect(ending.stderr).not.toMatch(/\n\s+at /);
});

test("the exit code of the command is the exit code of the run", async () => {
  const ending = await runToEnd(process.execPath, [setup, "--", "node", "-e", "process.exit(7)"]);
  expect(ending.code).toBe(7);
});

test.each([
  ["the command's own exit code", "process.exit(9)", 9],
  ["the number of the signal that ended it", "process.kill(process.pid, 'SIGKILL')", 137],
])("SIGTERM and SIGHUP reach the command, and the exit code is %s", async (_, then, code) => {
  for (const signal of ["SIGTERM", "SIGHUP"] as const) {
    const script = `process.on("${signal}", () => ${then}); setInterval(() => {}, 1000); console.log("up")`;
    const run = spawn(process.execPath, [setup, "--", "node", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(run.stdout, "data");
    run.kill(signal);
    expect(await once(run, "exit")).toEqual([code, null]);
  }
});

test("the command ends with the shell that npm started", async () => {
  const script =
    'process.on("SIGTERM", () => process.exit()); setInterval(() => {}, 1000); console.log(process.pid)';
  const run = spawn("sh", ["-c", '"$0" "$@"; :', process.execPath, setup, "--", "node", "-e", script], {
    env: { ...process.env, npm_lifecycle_event: "demo" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [pid] = (await once(run.stdout, "data")) as [Buffer];
  onTestFinished(() => {
    if (isAlive(Number(pid))) process.kill(Number(pid), "SIGKILL");
  });
  run.kill("SIGTERM");
  expect(await until("the end of the command", () => !isAlive(Number(pid)) || undefined)).toBe(true);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
