import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { parse } from "yaml";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

function start(...args: readonly string[]) {
  const child = spawn(process.execPath, [main, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  return { child, output };
}

test("the process says where it serves, writes a kubeconfig, and ends by itself on SIGTERM", async () => {
  const directory = testFolder();
  const { child, output } = start("--kubeconfig", join(directory, "config"), "--ready-delay", "100ms");
  try {
    await once(child.stdout, "data");
    const line = JSON.parse(output.stdout) as { msg: string; port: number };
    expect(line).toMatchObject({ msg: "serving", address: "127.0.0.1" });
    const config = parse(await readFile(join(directory, "config"), "utf8")) as Record<string, unknown>;
    expect(config["clusters"]).toMatchObject([{ cluster: { server: `https://127.0.0.1:${line.port}` } }]);
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    expect((await exit)[0]).toBe(0);
    expect(output.stderr).toBe("");
  } finally {
    child.kill("SIGKILL");
  }
});

test("a flag or value that is unknown is one clear line and exit code 1", async () => {
  for (const [args, message] of [
    [["--bogus"], "Unknown option '--bogus'"],
    [["--port", "x"], "--port: not a port: x"],
    [["--kubeconfig", tmpdir()], `--kubeconfig: cannot write ${tmpdir()}: it is a directory`],
    [["--ready-delay", "soon"], "--ready-delay: not a duration: soon"],
  ] as const) {
    const { child, output } = start(...args);
    const [code] = await once(child, "close");
    expect(code).toBe(1);
    expect(output.stderr.split("\n")[0]).toContain(message);
  }
});

test("--version prints the version, and for a mistyped flag the error suggests the right one", async () => {
  const version = start("--version");
  await once(version.child, "close");
  expect(version.output.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  const mistyped = start("--prot=1");
  await once(mistyped.child, "close");
  expect(mistyped.output.stderr).toContain("did you mean --port?");
  const help = start("--hlep");
  await once(help.child, "close");
  expect(help.output.stderr).toContain("did you mean --help?");
});
