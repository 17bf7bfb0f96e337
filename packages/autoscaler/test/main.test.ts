import { expect, onTestFinished, test } from "vitest";
import { startFakeApi } from "./fake-api.ts";
import { eventually, workload } from "./harness.ts";
import { run } from "./process.ts";

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
  const { ended, lines, kill, errors } = run(
    `--kubeconfig=${api.kubeconfig}`,
    "--port=0",
    "--manage-hpas=all",
    "--horizontal-pod-autoscaler-sync-period=300ms",
    "--horizontal-pod-autoscaler-upscale-delay=3m",
  );
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
