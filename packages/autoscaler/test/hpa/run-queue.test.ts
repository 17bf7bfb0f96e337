import { manualClock } from "@plimsoll/kube/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRunQueue } from "../../src/hpa/run-queue.ts";

function setUp(concurrency: number, slowLimit = 100) {
  const clock = manualClock(0);
  const begun: string[] = [];
  const open = new Map<string, (() => void)[]>();
  const queue = createRunQueue({
    clock,
    concurrency,
    slowAfterMs: 500,
    slowLimit,
    run: (key) =>
      new Promise((resolve) => {
        begun.push(key);
        open.set(key, [...(open.get(key) ?? []), resolve]);
      }),
  });
  const end = async (key: string) => {
    const [resolve, ...rest] = open.get(key) ?? [];
    open.set(key, rest);
    resolve?.();
    await clock.advance(0);
  };
  return { clock, queue, begun, end };
}

test("no more run at a time than allowed, in the order of asking", async () => {
  const { queue, begun, end } = setUp(2);
  for (const key of ["a", "b", "c", "d"]) expect(queue.offer(key)).toBe(true);
  expect(begun).toEqual(["a", "b"]);
  expect(queue.waiting).toBe(2);
  await end("b");
  expect(begun).toEqual(["a", "b", "c"]);
});

test("one key never runs twice at once; a turn that comes meanwhile is lost, a push is not", async () => {
  const { queue, begun, end } = setUp(5);
  queue.offer("a");
  expect(queue.offer("a")).toBe(false);
  let isDone = false;
  const wait = async () => {
    await queue.push("a");
    isDone = true;
  };
  const pushed = wait();
  expect(begun).toEqual(["a"]);
  await end("a");
  expect(begun).toEqual(["a", "a"]);
  expect(isDone).toBe(false);
  await end("a");
  await pushed;
  expect(queue.running).toBe(0);
});

test("a slow run makes room for the next, up to a limit", async () => {
  const { clock, queue, begun, end } = setUp(1, 1);
  queue.offer("slow-1");
  queue.offer("slow-2");
  queue.offer("quick");
  await clock.advance(500);
  expect(begun).toEqual(["slow-1", "slow-2"]);
  await clock.advance(5000);
  expect(begun).toEqual(["slow-1", "slow-2"]);
  await end("slow-1");
  await end("slow-2");
  expect(begun).toEqual(["slow-1", "slow-2", "quick"]);
  expect(queue.slow).toBe(0);
});

test("a dropped key does not begin, and those who wait for it go on", async () => {
  const { queue, begun, end } = setUp(1);
  queue.offer("a");
  const dropped = queue.push("b");
  queue.drop("b");
  await dropped;
  await end("a");
  expect(begun).toEqual(["a"]);
});

test("stop lets what runs end and begins nothing more", async () => {
  const { queue, begun, end } = setUp(1);
  queue.offer("a");
  queue.offer("b");
  let isStopped = false;
  const wait = async () => {
    await queue.stop();
    isStopped = true;
  };
  const stopped = wait();
  await end("nothing");
  expect(isStopped).toBe(false);
  await end("a");
  await stopped;
  await queue.push("c");
  expect(begun).toEqual(["a"]);
});

test("whatever is asked, one key never overlaps itself and every push is answered", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          key: fc.constantFrom("a", "b", "c"),
          act: fc.constantFrom("offer", "push", "end", "drop"),
        }),
        { maxLength: 60 },
      ),
      fc.integer({ min: 1, max: 3 }),
      async (steps, concurrency) => {
        const clock = manualClock(0);
        const open = new Map<string, () => void>();
        let most = 0;
        const queue = createRunQueue({
          clock,
          concurrency,
          slowAfterMs: 1e9,
          slowLimit: 0,
          run: (key) =>
            new Promise((resolve) => {
              expect(open.has(key)).toBe(false);
              open.set(key, resolve);
              most = Math.max(most, open.size);
            }),
        });
        const pushed: Promise<void>[] = [];
        const end = async (key: string) => {
          const resolve = open.get(key);
          open.delete(key);
          resolve?.();
          await clock.advance(0);
        };
        for (const { key, act } of steps) {
          if (act === "offer") queue.offer(key);
          if (act === "push") pushed.push(queue.push(key));
          if (act === "drop") queue.drop(key);
          if (act === "end") await end(key);
        }
        for (let turn = 0; turn < 10; turn++) for (const key of ["a", "b", "c"]) await end(key);
        await Promise.all(pushed);
        expect(queue.running).toBe(0);
        expect(queue.waiting).toBe(0);
        expect(most).toBeLessThanOrEqual(concurrency);
      },
    ),
    { numRuns: 60 },
  );
});
