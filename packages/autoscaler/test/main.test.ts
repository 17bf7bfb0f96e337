import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { startFakeApi } from "./fake-api.ts";
import { eventually, workload } from "./harness.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

interface Run {
  readonly output: () => string;
  readonly errors: () => string;
  readonly ended: Promise<number | null>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

function run(...argv: string[]): Run {
  const child = spawn(process.execPath, ["--conditions=@plimsoll/source", main, ...argv], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve) => {
    child.on("close", resolve);
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return { output: () => output, errors: () => errors, ended, kill: (signal) => child.kill(signal) };
}

test("a command line with mistakes ends with 2, all of them named and no stack trace", async () => {
  const { ended, errors } = run("--bogus", "--port=many", "--horizontal-pod-autoscaler-tolerance=x");
  expect(await ended).toBe(2);
  expect(errors().trim().split("\n")).toEqual([
    "autoscaler: --bogus is not a flag: see --help for the flags there are",
    'autoscaler: --horizontal-pod-autoscaler-tolerance "x" is not a number: use a fraction such as "0.1"',
    'autoscaler: --port "many" is not a whole number: use 0 to 65535',
  ]);
});

test("--help ends with 0", async () => {
  const { ended, output } = run("--help");
  expect(await ended).toBe(0);
  expect(output()).toContain("--horizontal-pod-autoscaler-sync-period");
});

test("a kubeconfig that cannot be read ends with 1 and one line", async () => {
  const { ended, errors } = run("--kubeconfig=/does/not/exist");
  expect(await ended).toBe(1);
  expect(errors().trim().split("\n")).toHaveLength(1);
  expect(errors()).toContain("/does/not/exist");
});

test("the process says where it serves, drives what it is told to, and ends on SIGTERM", async () => {
  const api = await startFakeApi();
  onTestFinished(() => api.stop());
  workload(api, "shop", { value: "20" });
  const { ended, output, kill, errors } = run(
    `--kubeconfig=${api.kubeconfig}`,
    "--port=0",
    "--manage-hpas=all",
    "--horizontal-pod-autoscaler-sync-period=300ms",
    "--horizontal-pod-autoscaler-upscale-delay=3m",
  );
  const lines = () =>
    output()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  await eventually(() =>
    expect(lines()).toContainEqual(expect.objectContaining({ msg: "scaled", from: 3, to: 6 })),
  );
  const serving = lines().find((line) => line["msg"] === "serving");
  expect(serving).toMatchObject({ level: "info", address: "127.0.0.1" });
  expect(lines()).toContainEqual(
    expect.objectContaining({ level: "warn", msg: expect.stringContaining("is retired") }),
  );
  const metrics = await (await fetch(`http://127.0.0.1:${String(serving?.["port"])}/metrics`)).text();
  expect(metrics).toContain("process_cpu_seconds_total");
  kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(errors()).toBe("");
});
