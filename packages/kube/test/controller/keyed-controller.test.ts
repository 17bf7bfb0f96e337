import { expect, test } from "vitest";
import { immediate, setUp } from "../fake/keyed-controllers.ts";

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

test("a slow run no longer counts against the limit of runs, up to a second limit, of which its own namespace has half", async () => {
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
