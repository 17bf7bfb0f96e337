import { manualClock } from "@plimsoll/kube/testing";
import { expect, test } from "vitest";
import { createStatusOutbox } from "../../src/budget/status-outbox.ts";
import { createWriteBudget, type Urgency } from "../../src/budget/write-budget.ts";

function setUp() {
  const clock = manualClock(0);
  const budget = createWriteBudget({ clock, writesPerSecond: 100, refreshesPerSecond: 1, atOnce: 10 });
  const outbox = createStatusOutbox<string>(budget);
  const stored: string[] = [];
  const put = (key: string, urgency: Urgency, text: string, tookMs = 0) =>
    outbox.put(key, urgency, async () => {
      if (tookMs > 0) await new Promise<void>((resolve) => clock.after(tookMs, resolve));
      stored.push(`${key}=${text}`);
      return text;
    });
  return { clock, outbox, stored, put };
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

test("news takes the place of the numbers that waited, and goes at once", async () => {
  const { stored, put } = setUp();
  await put("a", "refresh", "1");
  expect(await put("b", "refresh", "1")).toBe("later");
  expect(await put("b", "told", "2")).toBe("2");
  expect(stored).toEqual(["a=1", "b=2"]);
});

test("what comes during a write is written after it", async () => {
  const { clock, stored, put } = setUp();
  const first = put("a", "told", "1", 300);
  expect(await put("a", "told", "2")).toBe("later");
  expect(await put("a", "refresh", "3")).toBe("later");
  expect(stored).toEqual([]);
  await clock.advance(300);
  expect(await first).toBe("1");
  expect(stored).toEqual(["a=1", "a=3"]);
});

test("what is dropped is not written; the end waits for news and not for numbers", async () => {
  const { clock, outbox, stored, put } = setUp();
  await put("a", "refresh", "1");
  await put("b", "refresh", "1");
  await put("c", "refresh", "1");
  outbox.drop("b");
  const last = put("d", "told", "1", 50);
  const closed = outbox.close();
  await clock.advance(50);
  await Promise.all([last, closed]);
  await clock.advance(10_000);
  expect(stored).toEqual(["a=1", "d=1"]);
});

test("flush resolves when all that waited is written", async () => {
  const { clock, outbox, stored, put } = setUp();
  for (const key of ["a", "b", "c"]) void put(key, "refresh", "1");
  const flushed = outbox.flush();
  await clock.advance(3000);
  await flushed;
  expect(stored).toEqual(["a=1", "b=1", "c=1"]);
  await outbox.flush();
});
