import type { Clock } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { setUp } from "../fake/keyed-controllers.ts";

test("of many runs that wait for nothing, twenty begin before everything else has its turn", async () => {
  const time = manualClock(0);
  let begun = 0;
  const atPauses: number[] = [];
  const clock: Clock = {
    ...time,
    after(delayMs, run) {
      if (delayMs === 0) atPauses.push(begun);
      return time.after(delayMs, run);
    },
  };
  const { controller } = setUp({
    clock,
    concurrency: 5,
    reconcile() {
      begun++;
      return Promise.resolve();
    },
  });
  for (let index = 0; index < 50; index++) controller.enqueue(`a/${index}`);
  await time.advance(0);
  expect([...atPauses, begun]).toEqual([20, 40, 50]);
  expect(time.pendingTimers).toBe(0);
});

test("a controller that stops in a pause begins no more runs", async () => {
  let begun = 0;
  const { clock, controller } = setUp({
    reconcile() {
      begun++;
      return Promise.resolve();
    },
  });
  for (let index = 0; index < 50; index++) controller.enqueue(`a/${index}`);
  await new Promise((resolve) => setImmediate(resolve));
  await controller.stop();
  await clock.advance(60_000);
  expect(begun).toBe(20);
});

test("runs that come one after the other need no pause, however many", async () => {
  let begun = 0;
  const { clock, controller } = setUp({
    reconcile() {
      begun++;
      return Promise.resolve();
    },
  });
  for (let index = 0; index < 50; index++) await controller.enqueueAndWait("a/one");
  expect([begun, clock.pendingTimers]).toEqual([50, 0]);
});
