import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createCoalescingQueue } from "../../src/budget/coalescing-queue.ts";
import { createWriteBudget } from "../../src/budget/write-budget.ts";
import type { Urgency } from "../../src/budget/write-lines.ts";

function setUp() {
  const clock = manualClock(0);
  const crashes: unknown[] = [];
  const onCrash = (error: unknown): void => void crashes.push(error);
  const budget = createWriteBudget({
    clock,
    writesPerSecond: 100,
    refreshesPerSecond: 1,
    atOnce: 10,
    onCrash,
  });
  const queue = createCoalescingQueue<string>(budget);
  const stored: string[] = [];
  const put = (key: string, urgency: Urgency, text: string, tookMs = 0) =>
    queue.put(key, urgency, async () => {
      if (tookMs > 0) await new Promise<void>((resolve) => clock.after(tookMs, resolve));
      stored.push(`${key}=${text}`);
      return text;
    });
  return { clock, crashes, queue, stored, put };
}

test("what can go out at once is waited for; what cannot carries the newest when it goes", async () => {
  const { clock, stored, put } = setUp();
  expect(await put("a", "refresh", "1")).toBe("1");
  expect(await put("b", "refresh", "1")).toBe("later");
  expect(await put("b", "refresh", "2")).toBe("later");
  expect(await put("b", "refresh", "3")).toBe("later");
  await clock.advance(5000);
  expect(stored).toEqual(["a=1", "b=3"]);
});

test("a report replaces the refresh that waited, and goes at once", async () => {
  const { stored, put } = setUp();
  await put("a", "refresh", "1");
  expect(await put("b", "refresh", "1")).toBe("later");
  expect(await put("b", "report", "2")).toBe("2");
  expect(stored).toEqual(["a=1", "b=2"]);
});

test("what comes during a write is written after it", async () => {
  const { clock, stored, put } = setUp();
  const first = put("a", "report", "1", 300);
  expect(await put("a", "report", "2")).toBe("later");
  expect(await put("a", "refresh", "3")).toBe("later");
  expect(stored).toEqual([]);
  await clock.advance(300);
  expect(await first).toBe("1");
  expect(stored).toEqual(["a=1", "a=3"]);
});

test("what is dropped is not written; the end waits for news and not for numbers", async () => {
  const { clock, queue, stored, put } = setUp();
  await put("a", "refresh", "1");
  await put("b", "refresh", "1");
  await put("c", "refresh", "1");
  queue.drop("b");
  const last = put("d", "report", "1", 50);
  const closed = queue.close();
  await clock.advance(50);
  await Promise.all([last, closed]);
  await clock.advance(10_000);
  expect(stored).toEqual(["a=1", "d=1"]);
});

test("what is dropped while another write of its key is under way is not written after it", async () => {
  const { clock, queue, stored, put } = setUp();
  const first = put("a", "report", "1", 300);
  await put("a", "report", "2");
  queue.drop("a");
  await clock.advance(300);
  await first;
  await queue.flush();
  expect(stored).toEqual(["a=1"]);
});

test("flush resolves when all that waited is written", async () => {
  const { clock, queue, stored, put } = setUp();
  for (const key of ["a", "b", "c"]) void put(key, "refresh", "1");
  const flushed = queue.flush().then(() => stored.push("flushed"));
  await clock.advance(3000);
  await flushed;
  expect(stored.splice(3)).toEqual(["flushed"]);
  expect(stored).toEqual(["a=1", "b=1", "c=1"]);
  await queue.flush();
});

test("a write that rejects is over: the next one for its key goes, and the end is not held up", async () => {
  const { clock, queue, stored, put } = setUp();
  const broken = queue.put("a", "report", () => Promise.reject(new Error("broken")));
  expect(await put("a", "report", "2")).toBe("later");
  await expect(broken).rejects.toThrow("broken");
  await clock.advance(1000);
  expect(stored).toEqual(["a=2"]);
  await queue.close();
});

test("a write that waited for another one and crashes is reported, and ends no process", async () => {
  const { clock, crashes, queue, put } = setUp();
  const first = put("a", "report", "1", 300);
  const error = new Error("a bug");
  expect(await queue.put("a", "report", () => Promise.reject(error))).toBe("later");
  await clock.advance(300);
  await first;
  await queue.flush();
  expect(crashes).toEqual([error]);
});
