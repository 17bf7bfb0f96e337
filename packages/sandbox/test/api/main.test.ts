import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
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

test("the process says where it serves, writes a kubeconfig, and ends by itself when told to stop", async () => {
  const directory = await mkdtemp(join(tmpdir(), "sandbox-main-"));
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
    await rm(directory, { recursive: true, force: true });
  }
});

test("a flag or value that is not known is one clear line and exit code 2", async () => {
  for (const [args, message] of [
    [["--bogus"], "Unknown option '--bogus'"],
    [["--port", "x"], "--port: not a port: x"],
    [["--ready-delay", "soon"], "--ready-delay: not a duration: soon"],
  ] as const) {
    const { child, output } = start(...args);
    const [code] = await once(child, "close");
    expect(code).toBe(2);
    expect(output.stderr.split("\n")[0]).toContain(message);
  }
});
