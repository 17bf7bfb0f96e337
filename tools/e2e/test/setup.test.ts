import { spawn } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { prometheusProgram, runToEnd, until } from "@plimsoll/testbed";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";

const setup = fileURLToPath(new URL("../../../scripts/setup.mjs", import.meta.url));

test("a Prometheus that is not there is one line with the remedy, and nothing runs", async () => {
  const ending = await runToEnd(process.execPath, [setup, "--prometheus", "--", "echo", "the command ran"], {
    PROMETHEUS: "/no/such/prometheus",
  });
  expect(ending.code).toBe(1);
  expect(ending.stdout).toBe("");
  expect(ending.stderr.trim().split("\n").at(-1)).toMatch(
    /^plimsoll: PROMETHEUS=\/no\/such\/prometheus is not a program; .* set PROMETHEUS=\/path\/to\/it$/,
  );
  expect(ending.stderr).not.toMatch(/\n\s+at /);
});

test("a Prometheus on the PATH is the one that the command gets", async () => {
  const program = prometheusProgram();
  const folder = testFolder();
  symlinkSync(program, join(folder, "prometheus"));
  const script =
    'require("node:child_process").execFileSync(process.env.PROMETHEUS, ["--version"], { stdio: "inherit" })';
  const args = [setup, "--prometheus", "--", "node", "-e", `console.log(process.env.PROMETHEUS); ${script}`];
  const path = [folder, process.env["PATH"]].join(delimiter);
  const { code, stdout, stderr } = await runToEnd(process.execPath, args, { PROMETHEUS: "", PATH: path });
  expect(code).toBe(0);
  expect(stdout.split("\n")[0]).toBe(join(folder, "prometheus"));
  expect(stdout + stderr).toMatch(/^prometheus, version \d/m);
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
