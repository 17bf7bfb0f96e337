import { type ReconcileResult } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { immediate, setUp } from "../fake/keyed-controllers.ts";

test("an exception ends neither the loop nor the key: it is retried with backoff until it works", async () => {
  let isBroken = true;
  const { clock, controller, begun, errors } = immediate(
    async () => {
      if (isBroken) throw new Error("broken");
    },
    { backoff: { baseMs: 1000, maxMs: 5000 } },
  );
  controller.enqueue("a");
  await clock.advance(20_000);
  expect(begun.map(([, ms]) => ms)).toEqual([0, 1000, 3000, 7000, 12_000, 17_000]);
  expect(errors.slice(0, 2)).toEqual(["a Error: broken 1", "a Error: broken 2"]);
  isBroken = false;
  await clock.advance(60_000);
  expect(begun).toHaveLength(7);
  expect(clock.pendingTimers).toBe(0);
  isBroken = true;
  controller.enqueue("a");
  await clock.advance(0);
  expect(errors.at(-1)).toBe("a Error: broken 1");
});

test("an exception before the first await, and one of a listener, are caught too", async () => {
  const seen: unknown[] = [];
  const { clock, controller } = setUp({
    reconcile: () => {
      throw new Error("at once");
    },
    observer: {
      started: () => {
        throw new Error("observer");
      },
    },
    onError: (_key, error) => {
      seen.push(error);
      throw new Error("the log is full");
    },
  });
  await controller.enqueueAndWait("a");
  await clock.advance(0);
  expect(seen.map(String)).toEqual(["Error: observer", "Error: at once"]);
});

test("work that is not done is retried like a failure, within its own limit, or earlier when the run wants it", async () => {
  const results: ReconcileResult[] = [
    { retry: {} },
    { retry: { maxMs: 1500 } },
    { retry: {}, requeueAtMs: 1_800_000_003_000 },
    {},
  ];
  const { clock, controller, begun, errors } = immediate(async () => results.shift());
  controller.enqueue("a");
  await clock.advance(60_000);
  expect(begun.map(([, ms]) => ms)).toEqual([0, 1000, 2500, 3000]);
  expect(errors).toEqual([]);
});

test("the jitter of the backoff is drawn from the injected random", async () => {
  const times = await Promise.all(
    [0, 0.5, 1].map(async (random) => {
      let isFirst = true;
      const { clock, controller, begun } = immediate(
        async () => {
          if (!isFirst) return undefined;
          isFirst = false;
          return { retry: {} };
        },
        { random: () => random },
      );
      controller.enqueue("a");
      await clock.advance(2000);
      return begun.at(-1)?.[1];
    }),
  );
  expect(times).toEqual([500, 750, 1000]);
});

test("gained keys run once per period, each in its place, and not after they are lost", async () => {
  const { clock, controller, begun } = immediate(async () => undefined, {
    periodMs: 15_000,
    concurrency: 100,
  });
  const keys = Array.from({ length: 100 }, (_, n) => `ns-${n}/a`);
  for (const key of keys) controller.gained(key);
  controller.gained("fast/a", 3000);
  await clock.advance(45_000);
  for (const key of keys) expect(begun.filter(([one]) => one === key)).toHaveLength(3);
  expect(begun.filter(([one]) => one === "fast/a")).toHaveLength(15);
  expect(controller.periodic).toBe(101);
  for (const key of [...keys, "fast/a"]) controller.lost(key);
  begun.length = 0;
  await clock.advance(45_000);
  expect(begun).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

test.each(["event", "periodic"] as const)(
  "a key that is gained and runs now (%s) has its first period one period later",
  async (now) => {
    const { clock, controller, begun } = immediate(async () => undefined, {
      periodMs: 15_000,
      concurrency: 100,
    });
    const keys = Array.from({ length: 100 }, (_, n) => `ns-${n}/a`);
    for (const key of keys) controller.gained(key, undefined, now);
    await clock.advance(14_999);
    expect(begun.map(([key]) => key)).toEqual(keys);
    await clock.advance(1001);
    expect(begun.map(([key]) => key).toSorted()).toEqual([...keys, ...keys].toSorted());
    controller.gained("ns-0/a", undefined, now);
    expect(begun.filter(([key]) => key === "ns-0/a")).toHaveLength(3);
  },
);

test("a key that is gained with a delay has its first period after it", async () => {
  const { clock, controller, begun } = immediate(async () => undefined, {
    periodMs: 15_000,
    concurrency: 100,
  });
  const keys = Array.from({ length: 100 }, (_, n) => `ns-${n}/a`);
  for (const key of keys) controller.gained(key, undefined, 4000);
  await clock.advance(3999);
  expect(begun).toEqual([]);
  await clock.advance(1001);
  expect(begun.map(([key]) => key).toSorted()).toEqual(keys.toSorted());
});

test("without a period a gained key runs as soon as possible", () => {
  const { controller, begun } = setUp();
  controller.gained("a");
  expect(begun).toEqual(["a"]);
});

test("a period is skipped while the key runs or skips periods; an event is not", async () => {
  const periods: boolean[] = [];
  const { clock, controller, begun, end } = setUp({
    periodMs: 15_000,
    observer: { period: (_key, { isSkipped }) => periods.push(isSkipped) },
  });
  controller.gained("a/a");
  await clock.advance(30_000);
  expect(periods).toEqual([false, true]);
  await end("a/a", { skipMs: 40_000 });
  await clock.advance(30_000);
  expect(periods).toEqual([false, true, true, true]);
  controller.enqueue("a/a");
  expect(begun).toHaveLength(2);
  await end("a/a");
  await clock.advance(15_000);
  expect(periods.at(-1)).toBe(false);
});

test("after an exception periods are skipped until the retry", async () => {
  const { clock, controller, begun, fail } = setUp({
    periodMs: 15_000,
    backoff: { baseMs: 60_000, maxMs: 60_000 },
  });
  controller.gained("a/a");
  controller.enqueue("a/a");
  await fail("a/a");
  await clock.advance(59_000);
  expect(begun).toHaveLength(1);
  await clock.advance(1000);
  expect(begun).toHaveLength(2);
});
