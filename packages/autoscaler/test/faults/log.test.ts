import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@plimsoll/component-base/testing";
import { eventually, testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { startFakeApi } from "../fake-api.ts";
import { workload } from "../harness.ts";
import { type Run, runWith } from "../process.ts";
import { replicasOf } from "./metric-kinds.ts";

/** Ended by its exit, whether or not anybody reads what it wrote. */
function exitOf({ pid }: Run): Promise<void> {
  return eventually(() => {
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
}

function opened(path: string, flags: number): number {
  const fd = openSync(path, flags);
  onTestFinished(() => closeSync(fd));
  return fd;
}

/** Nothing more fits into it. */
function fullPipe(): number {
  const folder = testFolder();
  const path = join(folder, "pipe");
  execFileSync("mkfifo", [path]);
  const filler = opened(path, constants.O_RDWR | constants.O_NONBLOCK);
  expect(() => {
    for (;;) writeSync(filler, "x".repeat(4096));
  }).toThrow("EAGAIN");
  return opened(path, constants.O_WRONLY);
}

test.runIf(process.platform === "linux").each([
  // Other systems have no such device.
  ["a disk that is full", () => opened("/dev/full", constants.O_WRONLY)],
  ["a pipe that is not read", fullPipe],
])(
  "%s under the log: objects are scaled, health responds, lost lines are counted, and it ends at SIGTERM",
  async (_, log) => {
    const api = await startFakeApi();
    onTestFinished(() => api.stop());
    workload(api, "shop", { value: "20" });
    const port = await freePort();
    const running = runWith({ log: log() }, [
      `--kubeconfig=${api.kubeconfig}`,
      `--port=${port}`,
      "--manage-hpas=all",
      "--leader-elect=false",
      "--horizontal-pod-autoscaler-sync-period=100ms",
      "--log-level=trace",
    ]);
    const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
    await eventually(() => expect(replicasOf(api, "shop")).toBe(6));
    // Every failed answer is a line.
    workload(api, "shop", { value: "9" });
    await eventually(async () => expect(await get("/livez")).toBe("ok\n"));
    expect(await get("/metrics")).toMatch(/^plimsoll_log_lines_lost_total \d+$/m);
    running.kill("SIGTERM");
    await exitOf(running);
  },
);
