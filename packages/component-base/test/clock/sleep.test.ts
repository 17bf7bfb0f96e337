import { expect, test } from "vitest";
import { sleep, waitAtMost } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";

function isDone(promise: Promise<void>): () => boolean {
  let done = false;
  void promise.finally(() => {
    done = true;
  });
  return () => done;
}

test("sleeps for its time, and no longer than until the signal", async () => {
  const clock = manualClock(0);
  const stopping = new AbortController();
  const slept = isDone(sleep(clock, 100));
  const cut = isDone(sleep(clock, 1000, stopping.signal));
  await clock.advance(99);
  expect([slept(), cut()]).toEqual([false, false]);
  await clock.advance(1);
  stopping.abort();
  await clock.advance(0);
  expect([slept(), cut()]).toEqual([true, true]);
  expect(clock.pendingTimers).toBe(0);
});

test("waits for an end, and at most so long; what the end throws is thrown", async () => {
  const clock = manualClock(0);
  const never = new Promise<void>(() => {});
  const late = isDone(waitAtMost(clock, 100, never));
  await waitAtMost(clock, 100, Promise.resolve());
  await expect(waitAtMost(clock, 100, Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect({ late: late(), timers: clock.pendingTimers }).toEqual({ late: false, timers: 1 });
  await clock.advance(100);
  expect({ late: late(), timers: clock.pendingTimers }).toEqual({ late: true, timers: 0 });
});
