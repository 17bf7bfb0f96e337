import { eventually } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { startFakeApi } from "./fake-api.ts";
import { workload } from "./harness.ts";
import { run } from "./process.ts";

test("a command line with mistakes ends with 1, all of them named and no stack trace", async () => {
  const { ended, errors } = run("--bogus", "--port=many", "--horizontal-pod-autoscaler-tolerance=x");
  expect(await ended).toBe(1);
  expect(errors().trim().split("\n")).toEqual([
    "autoscaler: --bogus is not a flag: see --help for all flags (PLM4001)",
    'autoscaler: --horizontal-pod-autoscaler-tolerance "x" is not a number: use a fraction such as "0.1" (PLM4001)',
    'autoscaler: --port "many" is not a whole number: use 0 to 65535 (PLM4001)',
  ]);
});

test("--version prints the version, and for a mistyped flag the error suggests the right one", async () => {
  const version = run("--version");
  expect([await version.ended, version.output()]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  const mistyped = run("--manage-hpa=all");
  expect(await mistyped.ended).toBe(1);
  expect(mistyped.errors()).toContain(
    "--manage-hpa is not a flag: see --help for all flags; did you mean --manage-hpas?",
  );
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

test("the process logs its addresses, manages what its flags name, and ends on SIGTERM", async () => {
  const api = await startFakeApi();
  onTestFinished(() => api.stop());
  workload(api, "shop", { value: "20" });
  const { ended, lines, kill, errors } = run(
    `--kubeconfig=${api.kubeconfig}`,
    "--port=0",
    "--manage-hpas=all",
    "--horizontal-pod-autoscaler-sync-period=300ms",
    "--horizontal-pod-autoscaler-use-rest-clients=true",
  );
  await eventually(() =>
    expect(lines()).toContainEqual(expect.objectContaining({ msg: "scaled", from: 3, to: 6 })),
  );
  const serving = lines().find((line) => line["msg"] === "serving");
  expect(serving).toMatchObject({ level: "info", address: "127.0.0.1" });
  expect(lines()).toContainEqual(
    expect.objectContaining({ level: "warn", warning: expect.stringContaining("is retired") }),
  );
  const metrics = await (await fetch(`http://127.0.0.1:${String(serving?.["port"])}/metrics`)).text();
  expect(metrics).toContain("process_cpu_seconds_total");
  kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(errors()).toBe("");
});
