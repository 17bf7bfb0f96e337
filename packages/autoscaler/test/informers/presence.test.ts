import { manualClock } from "@plimsoll/component-base/testing";
import { ApiError, type ResourceInfo } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { waitForList } from "../../src/informers/listed.ts";
import { createWlaPresence } from "../../src/informers/presence.ts";

const refusal = (code: number) => new ApiError({ code, reason: "", message: `answer ${code}` });

function world(options: {
  failure?: unknown;
  kinds?: () => Promise<readonly ResourceInfo[]>;
  isSettled?: boolean;
}) {
  const clock = manualClock(0);
  const presence = createWlaPresence({
    wlas: {
      isSynced: false,
      failure: options.failure,
      settled: () => (options.isSettled === true ? Promise.resolve() : new Promise(() => undefined)),
    },
    mapper: { byKind: options.kinds ?? (() => Promise.resolve([])) },
    clock,
  });
  return { clock, presence };
}

test("HPAs wait for WorkloadAutoscalers that cannot be listed no longer than 30 s", async () => {
  const { clock, presence } = world({ failure: refusal(500) });
  const settledAtMs = presence.settled().then(() => clock.nowMs());
  await clock.advance(60_000);
  expect(await settledAtMs).toBe(30_000);
  expect(presence.readiness()).toEqual({
    name: "workloadautoscalers",
    isReady: false,
    problem: "not listed yet: answer 500",
  });
});

test("HPAs wait for a list that does not fail no longer than two minutes", async () => {
  const { clock, presence } = world({});
  const settledAtMs = presence.settled().then(() => clock.nowMs());
  await clock.advance(300_000);
  expect(await settledAtMs).toBe(120_000);
});

test("a kind that is not installed is nothing to wait for, also where it may not be listed", async () => {
  expect(world({ failure: refusal(404) }).presence.readiness().isReady).toBe(true);
  const { presence } = world({ failure: refusal(403), isSettled: true });
  expect(presence.readiness().isReady).toBe(false);
  await expect.poll(() => presence.readiness().isReady).toBe(true);
});

test("while discovery fails, a refused list is taken for a missing right", async () => {
  const { presence } = world({
    failure: refusal(403),
    kinds: () => Promise.reject(refusal(503)),
    isSettled: true,
  });
  presence.readiness();
  await new Promise(setImmediate);
  expect(presence.readiness().isReady).toBe(false);
});

test("a watch that is stopped after others have given its list up is no failure of theirs", async () => {
  const clock = manualClock(0);
  let stop = (): void => {};
  const list = new Promise<void>((_, reject) => (stop = () => reject(new Error("stopped"))));
  const settled = waitForList({ failure: refusal(500) }, list, clock);
  await clock.advance(30_000);
  await settled;
  stop();
  await expect(new Promise((resolve) => setImmediate(() => resolve(clock.nowMs())))).resolves.toBe(30_000);
});
