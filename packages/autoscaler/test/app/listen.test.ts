import { manualClock } from "@plimsoll/component-base/testing";
import { expect, onTestFinished, test } from "vitest";
import { compileConfig, createAutoscaler, readCommandLine } from "../../src/index.ts";
import { startFakeApi } from "../fake-api.ts";

test("a listener that is given in place of one on the network gets the port, and is closed at the end", async () => {
  const clock = manualClock(Date.parse("2030-01-01T00:00:00Z"));
  const api = await startFakeApi(clock.nowMs);
  onTestFinished(() => api.stop());
  const compiled = compileConfig(readCommandLine(["--port=9999", "--leader-elect=false"]));
  if (!compiled.ok) throw new Error("the test's own flags are wrong");
  const calls: unknown[] = [];
  const ignore = (): void => {};
  const autoscaler = createAutoscaler(compiled.config, {
    client: api.client("test", clock),
    clock,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    listen: ({ address, port }) => {
      calls.push(["made", address, port]);
      return {
        listen: async () => ({ address, port: port + 1 }),
        close: async () => void calls.push("closed"),
      };
    },
  });
  expect(await autoscaler.start()).toEqual({ address: "127.0.0.1", port: 10_000 });
  await autoscaler.stop();
  expect(calls).toEqual([["made", "127.0.0.1", 9999], "closed"]);
});
