import { manualClock } from "@plimsoll/component-base/testing";
import { createKeyedController, type KeyedControllerOptions, type ReconcileResult } from "@plimsoll/kube";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";

type Run = { readonly end: (result?: ReconcileResult) => void; readonly fail: (error: unknown) => void };

function setUp(options: Partial<KeyedControllerOptions> = {}) {
  const clock = manualClock(1_800_000_000_000);
  const begun: string[] = [];
  const open = new Map<string, Run & { readonly signal: AbortSignal }>();
  const errors: string[] = [];
  const controller = createKeyedController({
    clock,
    random: () => 1,
    concurrency: 2,
    onError: (key, error, failures) => errors.push(`${key} ${String(error)} ${failures}`),
    reconcile: (key, signal) =>
      new Promise((resolve, reject) => {
        begun.push(key);
        expect(open.has(key)).toBe(false);
        open.set(key, { end: resolve, fail: reject, signal });
      }),
    ...options,
  });
  const settle = async (key: string, how: (run: Run) => void) => {
    const run = open.get(key);
    open.delete(key);
    if (run !== undefined) how(run);
    await clock.advance(0);
  };
  const end = (key: string, result?: ReconcileResult) => settle(key, (run) => run.end(result));
  const fail = (key: string) => settle(key, (run) => run.fail(new Error("broken")));
  return { clock, controller, begun, open, errors, end, fail };
}

/** A controller whose runs end at once. */
function immediate(
  reconcile: KeyedControllerOptions["reconcile"],
  options: Partial<KeyedControllerOptions> = {},
) {
  const begun: (readonly [string, number])[] = [];
  const made = setUp({
    ...options,
    reconcile: async (key, signal) => {
      begun.push([key, made.clock.nowMs() - 1_800_000_000_000]);
      return await reconcile(key, signal);
    },
  });
  return { ...made, begun };
}

test("no more run at once than allowed, in the order in which they were enqueued", async () => {
  const { controller, begun, end } = setUp();
  for (const key of ["a", "b", "c", "d"]) controller.enqueue(key);
  expect(begun).toEqual(["a", "b"]);
  expect([controller.waiting, controller.running]).toEqual([2, 2]);
  await end("b");
  expect(begun).toEqual(["a", "b", "c"]);
});

test("a key that waits is enqueued once; one that runs runs once more", async () => {
  const { controller, begun, end } = setUp({ concurrency: 1 });
  for (const key of ["a", "b", "b", "a", "a"]) controller.enqueue(key);
  await end("a");
  await end("b");
  expect(begun).toEqual(["a", "b", "a"]);
  await end("a");
  expect(begun).toEqual(["a", "b", "a"]);
  expect([controller.waiting, controller.running]).toEqual([0, 0]);
});

test("with the priority of a period a key that waits or runs is not enqueued", async () => {
  const { controller, begun, end } = setUp({ concurrency: 1 });
  controller.enqueue("a", "periodic");
  controller.enqueue("a", "periodic");
  controller.enqueue("b", "periodic");
  controller.enqueue("b", "periodic");
  await end("a");
  await end("b");
  expect(begun).toEqual(["a", "b"]);
});

test("namespaces are served round-robin", async () => {
  const { controller, begun, end } = setUp({ concurrency: 1 });
  for (const key of ["a/1", "a/2", "a/3", "b/1", "c/1"]) controller.enqueue(key);
  for (const key of ["a/1", "a/2", "b/1", "c/1"]) await end(key);
  expect(begun).toEqual(["a/1", "a/2", "b/1", "c/1", "a/3"]);
});

test("events come before periods, and a key that waits for its period moves up", async () => {
  const { controller, begun, end } = setUp({ concurrency: 1 });
  controller.enqueue("first");
  for (const key of ["p1", "p2"]) controller.enqueue(key, "periodic");
  controller.enqueue("e1");
  controller.enqueue("p2");
  for (const key of ["first", "e1", "p2"]) await end(key);
  expect(begun).toEqual(["first", "e1", "p2", "p1"]);
});

test("constant events do not end the periods: every fourth run is periodic", async () => {
  const { controller, begun, end } = setUp({ concurrency: 1 });
  controller.enqueue("0/x");
  for (let n = 0; n < 3; n++) controller.enqueue(`p/${n}`, "periodic");
  for (let n = 0; n < 12; n++) {
    controller.enqueue(`e/${n}`);
    await end(begun.at(-1) ?? "");
  }
  expect(begun.filter((key) => key.startsWith("p/"))).toHaveLength(3);
});

test("a slow run makes room for the next, up to a limit, and for its own namespace up to half of it", async () => {
  const { clock, controller, begun, end } = setUp({ concurrency: 1, maxSlow: 3 });
  for (const key of ["a/1", "a/2", "a/3", "b/1", "c/1", "d/1"]) controller.enqueue(key);
  await clock.advance(1000);
  expect(begun).toEqual(["a/1", "a/2", "b/1"]);
  await clock.advance(500);
  expect(begun.slice(3)).toEqual(["c/1"]);
  await clock.advance(5000);
  expect([controller.slow, controller.running]).toEqual([3, 4]);
  expect(begun.slice(4)).toEqual([]);
  for (const key of ["c/1", "d/1", "b/1"]) await end(key);
  expect(begun.slice(4)).toEqual(["d/1"]);
  await end("a/1");
  expect(begun.slice(5)).toEqual(["a/3"]);
  for (const key of ["a/2", "a/3"]) await end(key);
  expect(controller.running).toBe(0);
});

test("slow runs of one namespace never take the places of all", async () => {
  const { clock, controller, begun } = setUp({ concurrency: 1, maxSlow: 4 });
  for (let n = 0; n < 20; n++) controller.enqueue(`bad/${n}`);
  await clock.advance(60_000);
  controller.enqueue("good/1");
  await clock.advance(60_000);
  expect(begun).toContain("good/1");
  expect(begun.filter((key) => key.startsWith("bad/")).length).toBeLessThanOrEqual(4);
});

test("enqueueAndWait resolves after a run that began later, also when the key runs already", async () => {
  const { controller, end } = setUp();
  controller.enqueue("a");
  let isDone = false;
  const wait = async () => {
    await controller.enqueueAndWait("a");
    isDone = true;
  };
  const waited = wait();
  await end("a");
  expect(isDone).toBe(false);
  await end("a");
  await waited;
});

test("enqueueAndWait of an idle key waits for its run, which begins at once", async () => {
  const { controller, end } = setUp();
  let isDone = false;
  const wait = async () => {
    await controller.enqueueAndWait("a");
    isDone = true;
  };
  const waited = wait();
  await Promise.resolve();
  expect([controller.running, isDone]).toEqual([1, false]);
  await end("a");
  await waited;
  expect(isDone).toBe(true);
});

test("a run says when it wants the next one, and the last wish counts", async () => {
  let wishMs: number | undefined = 60_000;
  const { clock, controller, begun } = immediate(async () =>
    wishMs === undefined ? undefined : { requeueAtMs: clock.nowMs() + wishMs },
  );
  controller.enqueue("a");
  await clock.advance(60_000);
  expect(begun).toEqual([
    ["a", 0],
    ["a", 60_000],
  ]);
  wishMs = undefined;
  controller.enqueue("a");
  await clock.advance(600_000);
  expect(begun).toHaveLength(3);
  expect(clock.pendingTimers).toBe(0);
});

test("enqueueAfter keeps the earlier instant, also over a run", async () => {
  const { clock, controller, begun } = immediate(async () => undefined);
  controller.enqueueAfter("a", 10_000);
  controller.enqueueAfter("a", 3000);
  controller.enqueueAfter("a", 20_000);
  controller.enqueue("a");
  await clock.advance(60_000);
  expect(begun).toEqual([
    ["a", 0],
    ["a", 3000],
  ]);
});

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

test("without a period a gained key runs as soon as possible", () => {
  const { controller, begun } = setUp();
  controller.gained("a");
  expect(begun).toEqual(["a"]);
});

test("a period is skipped while the key runs or rests; an event is not", async () => {
  const periods: boolean[] = [];
  const { clock, controller, begun, end } = setUp({
    periodMs: 15_000,
    observer: { period: (_key, { isSkipped }) => periods.push(isSkipped) },
  });
  controller.gained("a/a");
  await clock.advance(30_000);
  expect(periods).toEqual([false, true]);
  await end("a/a", { restMs: 40_000 });
  await clock.advance(30_000);
  expect(periods).toEqual([false, true, true, true]);
  controller.enqueue("a/a");
  expect(begun).toHaveLength(2);
  await end("a/a");
  await clock.advance(15_000);
  expect(periods.at(-1)).toBe(false);
});

test("after an exception the periods rest until the retry", async () => {
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
          retry: (key) => end(key, { retry: {}, restMs: 100 }),
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
