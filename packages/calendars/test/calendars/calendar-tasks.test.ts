import { systemClock, type TaskBudget } from "@plimsoll/component-base";
import { expect, onTestFinished, test } from "vitest";
import { createCalendarWorker } from "../../src/calendars/calendar-tasks.ts";
import { calendar, event, followed, refused } from "../../src/testing.ts";

const range = { fromMs: Date.parse("2026-01-01T00:00:00Z"), toMs: Date.parse("2029-01-01T00:00:00Z") };
const taskOf = (text: string) => ({ ...range, text, timeZone: "Europe/Berlin" });
const holiday = calendar(event(1, "DTSTART;VALUE=DATE:20260501"));
const heavy = followed[2]?.[1] ?? "";

function tasks(budget?: TaskBudget) {
  const made = createCalendarWorker(systemClock, budget);
  onTestFinished(made.stop);
  return made;
}

test("calendars are read on a thread, one after another, with the same results", async () => {
  const { run } = tasks();
  const day = { from: "2026-05-01", to: "2026-05-01" };
  expect(await run(taskOf(holiday))).toEqual({ days: [day], spans: [] });
  expect(await run(taskOf("hello"))).toMatch(/^is not iCalendar/);
  const [, text = "", why = ""] = refused[0] ?? [];
  expect(await run(taskOf(text))).toMatchObject({ refused: expect.stringContaining(why) as string });
  expect(await run(taskOf(holiday))).toEqual({ days: [day], spans: [] });
});

test("a calendar over the budget of time is refused, and the next one is read", async () => {
  const { run } = tasks({ timeMs: 1, memoryMb: 128 });
  const took: number[] = [];
  const result = await run(taskOf(heavy), (ms) => void took.push(ms));
  expect(result).toMatchObject({ refused: "takes more than 0.001 s to read" });
  expect(took).toEqual([1]);
  expect(await run(taskOf("hello"))).not.toBeUndefined();
});

test("a thread that ends by its limit of memory is a result, not the end of the process", async () => {
  const { run } = tasks({ timeMs: 60_000, memoryMb: 4 });
  expect(await run(taskOf(heavy))).toMatchObject({
    refused: expect.stringMatching(/MB|cannot be read/) as string,
  });
});
