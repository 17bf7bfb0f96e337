import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import type { CalendarTask } from "../../src/calendars/calendar.ts";
import { createCalendarStore } from "../../src/calendars/calendar-store.ts";
import type { CalendarResult, ReadCalendarTask } from "../../src/calendars/calendar-tasks.ts";

const taskOf = (text: string): CalendarTask => ({ text, timeZone: "UTC", fromMs: 0, toMs: 1 });
const excluded: CalendarResult = { days: [{ from: "2026-01-01", to: "2026-01-01" }], spans: [] };

/** A store whose tasks end when the test says so. */
function createWorld() {
  const clock = manualClock(1e12);
  const running: { readonly end: (result?: CalendarResult, tookMs?: number) => void }[] = [];
  const begun: string[] = [];
  const read: string[] = [];
  const runTask: ReadCalendarTask = ({ text }, onTook) => {
    begun.push(text);
    return new Promise((resolve) =>
      running.push({
        end(result = excluded, tookMs = 20) {
          onTook?.(tookMs);
          resolve(result);
        },
      }),
    );
  };
  const store = createCalendarStore({ runTask, clock });
  return {
    clock,
    begun,
    read,
    store,
    ask(owner: string, ...texts: readonly string[]) {
      const requests = store.request(owner, () => void read.push(owner));
      const readings = texts.map((text) => requests.read(taskOf(text)));
      requests.end();
      return readings.at(-1);
    },
    async end(result?: CalendarResult, tookMs?: number) {
      running.shift()?.end(result, tookMs);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("a text is read once for all objects that have it, and known from then on", async () => {
  const world = createWorld();
  expect(world.ask("a/one", "x")).toBeUndefined();
  expect(world.ask("b/two", "x")).toBeUndefined();
  expect(world.ask("a/one", "x")).toBeUndefined();
  await world.end();
  expect(world.begun).toEqual(["x"]);
  expect(world.read).toEqual(["a/one", "b/two"]);
  expect(world.ask("c/three", "x")).toEqual({ result: excluded, isLate: false });
  expect(world.begun).toEqual(["x"]);
});

test("one is read at a time, and namespaces take turns", async () => {
  const world = createWorld();
  for (const text of ["a1", "a2", "a3", "a4"]) world.ask(`a/${text}`, text);
  for (const text of ["b1", "b2"]) world.ask(`b/${text}`, text);
  world.ask("c/c1", "c1");
  for (let n = 0; n < 7; n++) await world.end();
  expect(world.begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("what was refused is remembered for ten minutes, and not tried in a loop", async () => {
  const world = createWorld();
  world.ask("a/one", "x");
  await world.end({ days: [], spans: [], refused: "takes more than 5 s to read" });
  for (let n = 0; n < 5; n++) {
    expect(world.ask("a/one", "x")?.result).toMatchObject({ refused: "takes more than 5 s to read" });
    await world.clock.advance(100_000);
  }
  expect(world.begun).toEqual(["x"]);
  await world.clock.advance(200_000);
  expect(world.ask("a/one", "x")).toBeUndefined();
  expect(world.begun).toEqual(["x", "x"]);
});

test("who waits for half a minute goes on without, and looks again when it is read", async () => {
  const world = createWorld();
  world.ask("a/one", "x");
  world.ask("b/two", "y");
  await world.clock.advance(30_001);
  expect(world.ask("b/two", "y")).toMatchObject({ isLate: true, result: { days: [], spans: [] } });
  await world.end();
  await world.end();
  expect(world.read).toEqual(["a/one", "b/two"]);
  expect(world.ask("b/two", "y")).toEqual({ result: excluded, isLate: false });
});

test("what waits for an object that is gone is not read", async () => {
  const world = createWorld();
  world.ask("a/one", "x");
  world.ask("b/two", "y");
  world.ask("b/three", "z");
  world.store.drop("b/two");
  await world.end();
  await world.end();
  expect(world.begun).toEqual(["x", "z"]);
});

test("texts that change faster than they are read do not pile up: the last one is read", async () => {
  const world = createWorld();
  for (let n = 0; n < 1000; n++) world.ask("a/one", `edit ${n}`);
  world.ask("b/two", "y");
  for (let n = 0; n < 5; n++) await world.end();
  expect(world.begun).toEqual(["edit 0", "edit 999", "y"]);
  expect(world.read).toEqual(["a/one", "b/two"]);
});

test("an edit does not begin the half minute again", async () => {
  const world = createWorld();
  world.ask("b/slow", "x");
  for (let n = 0; n < 31; n++) {
    expect(world.ask("a/one", `edit ${n}`)).toBeUndefined();
    await world.clock.advance(1000);
  }
  expect(world.ask("a/one", "edit 31")).toMatchObject({ isLate: true });
});

test("an object with many calendars looks again once, when all of them are read", async () => {
  const world = createWorld();
  world.ask("a/one", "1", "2", "3", "4");
  for (let n = 0; n < 3; n++) await world.end();
  expect(world.read).toEqual([]);
  await world.end();
  expect(world.read).toEqual(["a/one"]);
});

test("an object has fifty different calendars, the same one as often as it likes", () => {
  const world = createWorld();
  const texts = Array.from({ length: 50 }, (_, n) => `text ${n}`);
  expect(world.ask("a/one", ...texts, "one more")).toMatchObject({
    result: { refused: "is too many: an object can use 50 different calendars" },
  });
  expect(world.ask("a/one", ...texts, "text 7")).toBeUndefined();
});

test("who has the same text as a namespace with many waits for its own turn only", async () => {
  const world = createWorld();
  for (const text of ["a1", "a2", "a3", "holidays"]) world.ask(`a/${text}`, text);
  world.ask("b/one", "holidays");
  await world.end();
  await world.end();
  await world.end();
  expect(world.begun.slice(0, 3)).toEqual(["a1", "a2", "holidays"]);
  expect(world.read).toEqual(["a/a1", "a/a2", "a/holidays", "b/one"]);
});

test("a namespace whose calendars take long pauses ever longer, and the others go on", async () => {
  const world = createWorld();
  for (let n = 0; n < 100; n++) world.ask(`a/${n}`, `slow ${n}`);
  await world.end({ days: [], spans: [], refused: "takes more than 5 s to read" }, 5000);
  world.ask("b/one", "quick");
  await world.end();
  expect(world.begun).toEqual(["slow 0", "quick"]);
  await world.clock.advance(44_000);
  expect(world.begun).toHaveLength(2);
  for (let n = 0; n < 3600; n++) {
    await world.clock.advance(1000);
    await world.end({ days: [], spans: [], refused: "takes more than 5 s to read" }, 5000);
  }
  // After pauses of 45, 90, 180, 360 and then 600 seconds.
  expect(world.begun.length - 2).toBe(8);
});
