import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createCallLimit } from "../../src/budget/call-limit.ts";

function setUp(atOnce: number) {
  const clock = manualClock(0);
  const limit = createCallLimit({ clock, atOnce });
  const begun: string[] = [];
  const call = (name: string, tookMs: number) =>
    limit.run("shop", async () => {
      begun.push(name);
      await new Promise<void>((resolve) => clock.after(tookMs, resolve));
      return name;
    });
  return { clock, begun, call };
}

test("no more calls at a time than allowed, in the order of asking", async () => {
  const { clock, begun, call } = setUp(2);
  const all = ["a", "b", "c", "d", "e"].map((name) => call(name, 100));
  await clock.advance(0);
  expect(begun).toEqual(["a", "b"]);
  await clock.advance(100);
  expect(begun).toEqual(["a", "b", "c", "d"]);
  await clock.advance(200);
  expect(await Promise.all(all)).toEqual(["a", "b", "c", "d", "e"]);
});

test("calls that hang no longer count against the limit after half a second", async () => {
  const { clock, begun, call } = setUp(2);
  void call("hung-1", 60_000);
  void call("hung-2", 60_000);
  const quick = ["a", "b", "c", "d"].map((name) => call(name, 10));
  await clock.advance(499);
  expect(begun).toEqual(["hung-1", "hung-2"]);
  await clock.advance(21);
  expect(await Promise.all(quick)).toEqual(["a", "b", "c", "d"]);
});

test("a call that fails gives its place back", async () => {
  const { clock, begun, call } = setUp(1);
  const limit = createCallLimit({ clock, atOnce: 1 });
  await expect(limit.run("shop", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await limit.run("shop", () => Promise.resolve("yes"))).toBe("yes");
  const last = call("a", 1);
  await clock.advance(1);
  expect(await last).toBe("a");
  expect(begun).toEqual(["a"]);
});
