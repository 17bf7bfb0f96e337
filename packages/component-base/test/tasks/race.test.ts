import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test, vi } from "vitest";
import { orAborted, race } from "../../src/index.ts";

/** Counts its reactions, as those of the language cannot be read. */
function pending(): { readonly promise: Promise<string>; readonly reactions: () => number; end(): void } {
  let end = (): void => {};
  const promise = new Promise<string>((resolve) => {
    end = () => resolve("late");
  });
  const then = vi.spyOn(promise, "then");
  return { promise, reactions: () => then.mock.calls.length, end };
}

test("a race settles like the first, whether it was settled before or not", async () => {
  const { promise, end } = pending();
  const failed = Promise.reject(new Error("no"));
  expect(await race([promise, Promise.resolve("first"), failed])).toBe("first");
  await expect(race([promise, failed])).rejects.toThrow("no");
  const both = [race([promise]), race([promise, new Promise<string>(() => {})])];
  end();
  expect(await Promise.all(both)).toEqual(["late", "late"]);
  expect(await race([promise])).toBe("late");
});

test("10,000 waits leave one reaction at a promise that never settles, and no listener at a long-lived signal", async () => {
  const { promise, reactions } = pending();
  const { signal } = new AbortController();
  for (let i = 0; i < 10_000; i += 1) {
    const caller = new AbortController();
    const waited = orAborted(caller.signal, promise).catch(String);
    caller.abort(new Error("left"));
    expect(await waited).toBe("Error: left");
    expect(await orAborted(signal, promise, Promise.resolve("first"))).toBe("first");
  }
  expect(reactions()).toBe(1);
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

test("what a waiter held is collected when it leaves", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const never = new Promise<string>(() => {});
  const left: WeakRef<object>[] = [];
  for (let i = 0; i < 1_000; i += 1) {
    const caller = new AbortController();
    const waited = orAborted(caller.signal, never).catch((error: unknown) => error);
    caller.abort(new Error("left"));
    left.push(new WeakRef((await waited) as Error));
  }
  // A WeakRef holds its target until the turn ends.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  // The last one may still be on the stack.
  expect(left.filter((ref) => ref.deref() !== undefined).length).toBeLessThan(10);
});
