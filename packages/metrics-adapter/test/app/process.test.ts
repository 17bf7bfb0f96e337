import { closeSync, openSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { get, lonelyFlags, makeFolder, readCa, servingPort, startProcess } from "./adapter-process.ts";

test("an unknown flag is named and the process ends with 1", async () => {
  const running = startProcess(await makeFolder(), ["--config=rules.yaml", "--no-such-flag=1"]);
  expect(await running.ended).toBe(1);
  expect(running.err()).toBe(
    "error: unknown flag: --no-such-flag (PLM4001)\nerror: see --help for all flags\n",
  );
  expect(running.out()).toBe("");
});

test("with Prometheus and kube-apiserver away it serves, says so, is not ready, and ends well", async () => {
  const folder = await makeFolder();
  const running = startProcess(folder, [...lonelyFlags, "--secure-port=0", "--audit-log-path=-"]);
  const port = await servingPort(running);
  const lines = running.lines();
  expect(lines.find(({ msg }) => msg === "serving")?.["address"]).toBe("127.0.0.1");
  expect(lines[0]).toMatchObject({
    level: "warn",
    code: "PLM3003",
    warning: expect.stringContaining("--audit-log-path has no effect"),
  });

  const ca = await readCa(folder);
  expect((await stat(join(folder, "certs/apiserver.key"))).mode & 0o777).toBe(0o600);
  expect(lines.find(({ caBundle }) => caBundle !== undefined)?.["caBundle"]).toBe(
    Buffer.from(ca).toString("base64"),
  );
  expect(await get(port, "/healthz", ca)).toEqual([200, "ok"]);
  await until("it says so", () => running.out().includes("cannot watch the authentication configuration"));
  const [code, text] = await get(port, "/readyz", ca);
  expect(code).toBe(500);
  expect(text).toMatch(
    /\[-\]authentication failed: ConfigMap \S+ cannot be read: .*connect ECONNREFUSED \(address hidden\)/,
  );
  expect(running.out()).toContain("127.0.0.1:1");
  expect(text).toMatch(/\[-\]metrics failed: ./);

  running.child.kill("SIGTERM");
  expect(await running.ended).toBe(0);
  expect(running.lines().at(-1)).toMatchObject({ msg: "stopped" });
  expect(running.err()).toBe("");
});

// Other systems have no such device.
test.runIf(process.platform === "linux")(
  "a full disk under the log: it serves, counts what is lost, and ends at SIGTERM",
  async () => {
    const full = openSync("/dev/full", "w");
    onTestFinished(() => closeSync(full));
    const folder = await makeFolder();
    // The log would say which port it took.
    const port = await freePort();
    const running = startProcess(folder, [...lonelyFlags, `--secure-port=${port}`], full);
    await until("it serves", async () => {
      expect([running.child.exitCode, running.err()]).toEqual([null, ""]);
      const ca = await readCa(folder).catch(() => undefined);
      if (ca === undefined) return false;
      const answer = await get(port, "/healthz", ca).catch(() => []);
      return answer[1] === "ok";
    });
    running.child.kill("SIGTERM");
    expect(await running.ended).toBe(0);
  },
);
