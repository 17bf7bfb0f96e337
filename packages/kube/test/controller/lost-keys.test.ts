import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { immediate, setUp } from "../fake/keyed-controllers.ts";

test("lost aborts the run under way, and nothing of it remains", async () => {
  const { clock, controller, begun, open, errors, fail } = setUp({ periodMs: 15_000 });
  controller.gained("a/a");
  controller.enqueueAfter("a/a", 1000);
  controller.enqueue("a/a");
  const waited = controller.enqueueAndWait("a/a");
  const { signal } = open.get("a/a") ?? {};
  controller.lost("a/a");
  await waited;
  expect(signal?.aborted).toBe(true);
  await fail("a/a");
  await clock.advance(60_000);
  expect(begun).toEqual(["a/a"]);
  expect(errors).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

test("a key that is gained while its aborted run ends waits for that end", async () => {
  const { controller, begun, end } = setUp();
  controller.enqueue("a");
  controller.lost("a");
  controller.gained("a");
  expect(begun).toEqual(["a"]);
  await end("a", { requeueAtMs: 1_800_000_000_001 });
  expect(begun).toEqual(["a", "a"]);
});

test("a key that is not owned when its run would begin is not reconciled, and not forgotten until it is lost", async () => {
  const owned = new Set(["a/a"]);
  const { clock, controller, begun } = immediate(async () => undefined, { owns: (key) => owned.has(key) });
  for (const key of ["a/a", "b/b", "c/c"]) controller.enqueue(key);
  await controller.enqueueAndWait("b/b");
  await clock.advance(60_000);
  expect(begun.map(([key]) => key)).toEqual(["a/a"]);
  // It comes back without an event, as when the wall clock was set ahead of a lease.
  owned.add("b/b");
  await clock.advance(5000);
  expect(begun.map(([key]) => key)).toEqual(["a/a", "b/b"]);
  controller.lost("c/c");
  expect(clock.pendingTimers).toBe(0);
});

test("a key that is not owned when its run ends runs once more when it is owned again", async () => {
  let isOwned = true;
  const { clock, controller, begun } = immediate(
    () => {
      isOwned = begun.length > 1;
      return Promise.resolve(undefined);
    },
    { owns: () => isOwned },
  );
  controller.enqueue("a/a");
  await clock.advance(500);
  isOwned = true;
  await clock.advance(60_000);
  expect(begun.map(([key]) => key)).toEqual(["a/a", "a/a"]);
  expect(clock.pendingTimers).toBe(0);
});

test("stop aborts and awaits the runs under way, and begins nothing more", async () => {
  const { clock, controller, begun, open, end } = setUp({ concurrency: 1, periodMs: 15_000 });
  for (const key of ["a/a", "b/b"]) {
    controller.gained(key);
    controller.enqueue(key);
  }
  const waited = controller.enqueueAndWait("b/b");
  let isStopped = false;
  const stop = async () => {
    await controller.stop();
    isStopped = true;
  };
  const stopped = stop();
  await waited;
  expect(open.get("a/a")?.signal.aborted).toBe(true);
  await clock.advance(0);
  expect(isStopped).toBe(false);
  await end("a/a");
  await stopped;
  await controller.enqueueAndWait("c/c");
  controller.gained("d/d");
  controller.enqueueAfter("e/e", 10);
  await clock.advance(60_000);
  expect(begun).toEqual(["a/a"]);
  expect(clock.pendingTimers).toBe(0);
  await controller.stop();
});

test("the observer sees how long keys waited and ran, and how their runs ended", async () => {
  const seen: unknown[] = [];
  const { clock, controller, end, fail } = setUp({
    concurrency: 1,
    observer: {
      started: (key, event) => seen.push([key, event]),
      ended: (key, event) => seen.push([key, event]),
    },
  });
  for (const key of ["a", "b", "c", "d"]) controller.enqueue(key);
  await clock.advance(100);
  await end("a");
  await end("b", { retry: {} });
  await fail("c");
  controller.lost("d");
  await end("d");
  expect(seen).toEqual([
    ["a", { waitedMs: 0 }],
    ["a", { tookMs: 100, outcome: "done" }],
    ["b", { waitedMs: 100 }],
    ["b", { tookMs: 0, outcome: "retry" }],
    ["c", { waitedMs: 100 }],
    ["c", { tookMs: 0, outcome: "failed" }],
    ["d", { waitedMs: 100 }],
    ["d", { tookMs: 0, outcome: "aborted" }],
  ]);
});

test("10,000 keys with periods, retries and instants take a few timers", async () => {
  const { clock, controller } = immediate(async () => ({ requeueAtMs: 1_900_000_000_000, retry: {} }), {
    periodMs: 15_000,
    concurrency: 10_000,
  });
  for (let n = 0; n < 10_000; n++) {
    controller.gained(`ns/${n}`);
    controller.enqueue(`ns/${n}`);
  }
  await clock.advance(0);
  expect(controller.running).toBe(0);
  expect(clock.pendingTimers).toBe(2);
  for (let n = 0; n < 10_000; n++) controller.lost(`ns/${n}`);
  expect(clock.pendingTimers).toBe(0);
});

test("whatever happens, no key overlaps itself, every wait ends, and nothing of a lost key remains", async () => {
  const step = fc.record({
    key: fc.constantFrom("a/1", "a/2", "b/1"),
    kind: fc.constantFrom("enqueue", "periodic", "wait", "end", "fail", "retry", "lost", "gained", "time"),
  });
  await assertProperty(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 3 }),
      async (steps, concurrency) => {
        let max = 0;
        const made = setUp({
          concurrency,
          slowAfterMs: 1e9,
          periodMs: 15_000,
          observer: { started: () => (max = Math.max(max, made.controller.running)) },
        });
        const { controller, clock, end, fail } = made;
        const waits: Promise<void>[] = [];
        const act: Record<string, (key: string) => unknown> = {
          enqueue: (key) => controller.enqueue(key),
          periodic: (key) => controller.enqueue(key, "periodic"),
          wait: (key) => waits.push(controller.enqueueAndWait(key)),
          end: (key) => end(key),
          fail: (key) => fail(key),
          retry: (key) => end(key, { retry: {}, skipMs: 100 }),
          lost: (key) => controller.lost(key),
          gained: (key) => controller.gained(key),
          time: () => clock.advance(7000),
        };
        for (const { key, kind } of steps) await act[kind]?.(key);
        const keys = ["a/1", "a/2", "b/1"];
        for (let n = 0; n < 10; n++) for (const key of keys) await end(key);
        await Promise.all(waits);
        for (const key of keys) controller.lost(key);
        for (const key of keys) await end(key);
        expect(max).toBeLessThanOrEqual(concurrency);
        expect([controller.running, controller.waiting, controller.periodic]).toEqual([0, 0, 0]);
        expect(clock.pendingTimers).toBe(0);
      },
    ),
    { numRuns: 100 },
  );
});
