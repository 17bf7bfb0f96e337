import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createFilePoller } from "../../src/serving/file-poller.ts";

const ignore = (): void => undefined;

test("contents whose use fails are offered again, and the cause stays until they are used", async () => {
  const clock = manualClock(0);
  let text = "old";
  let cause: Error | undefined = new Error("line 3 is wrong");
  const offered: string[] = [];
  const causes: unknown[] = [];
  const poller = createFilePoller({
    paths: ["rules.yaml"],
    readText: async () => text,
    clock,
    pollIntervalMs: 1_000,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    onChange([one = ""]) {
      offered.push(one);
      if (cause !== undefined) throw cause;
    },
    onRead: (error) => causes.push(error),
  });
  await poller.start();
  text = "new";
  await clock.advance(1_000);
  await clock.advance(1_000);
  expect([offered, causes]).toEqual([
    ["new", "new"],
    [cause, cause],
  ]);
  cause = undefined;
  await clock.advance(1_000);
  await clock.advance(1_000);
  expect([offered, causes.slice(2)]).toEqual([
    ["new", "new", "new"],
    [undefined, undefined],
  ]);
  poller.stop();
});

test("a slow reading that ends after a later one changes nothing, whether it succeeds or fails", async () => {
  const clock = manualClock(0);
  const readings: { readonly resolve: (text: string) => void; readonly reject: (cause: Error) => void }[] =
    [];
  const offered: string[] = [];
  const causes: unknown[] = [];
  const poller = createFilePoller({
    paths: ["token"],
    readText: () => new Promise((resolve, reject) => readings.push({ resolve, reject })),
    clock,
    pollIntervalMs: 1_000,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    onChange: ([one = ""]) => offered.push(one),
    onRead: (error) => causes.push(error),
  });
  const started = poller.start();
  readings[0]?.resolve("first");
  await started;
  const [slow, failing, fast] = [poller.read(), poller.read(), poller.read()];
  readings[3]?.resolve("second");
  await fast;
  readings[1]?.resolve("first");
  readings[2]?.reject(new Error("EIO"));
  await Promise.all([slow, failing]);
  expect([offered, causes]).toEqual([["second"], [undefined]]);
  const next = poller.read();
  readings[4]?.resolve("third");
  await next;
  expect(offered).toEqual(["second", "third"]);
  poller.stop();
});
