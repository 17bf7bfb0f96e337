import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createGate } from "../../src/scrape/gate.ts";

/** Scrapes of one namespace. Each is over after 10 ms. */
async function scrapes(cost: number, seconds: number) {
  const clock = manualClock(1_000_000);
  const gate = createGate(clock, 200);
  let ended = 0;
  const scrapeAll = async (): Promise<void> => {
    for (;;) {
      const leave = await gate.enter("shop");
      await new Promise<void>((resolve) => void clock.after(10, resolve));
      leave?.(cost);
      ended += 1;
    }
  };
  for (let worker = 0; worker < 2; worker += 1) void scrapeAll();
  await clock.advance(seconds * 1000);
  return { ended, gate, clock };
}

test("pages that take long to read are read more rarely", async () => {
  const { ended } = await scrapes(20, 10);
  expect(ended).toBeGreaterThan(100);
  expect(ended).toBeLessThan(110);
});

test("ordinary pages wait for nothing", async () => {
  const { ended } = await scrapes(1, 10);
  expect(ended).toBe(2_000);
});

test("another namespace does not wait", async () => {
  const { gate } = await scrapes(1_000, 10);
  const inside: string[] = [];
  for (const namespace of ["shop", "other"])
    void gate.enter(namespace).then(() => void inside.push(namespace));
  await new Promise((resolve) => setImmediate(resolve));
  expect(inside).toEqual(["other"]);
});

test("eight scrapes of a namespace are under way at first, and sixteen later", async () => {
  const clock = manualClock(0);
  const gate = createGate(clock, 200);
  const inside: (((cost: number) => void) | undefined)[] = [];
  for (let n = 0; n < 300; n += 1) void gate.enter("shop").then((leave) => inside.push(leave));
  const counts: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    await clock.advance(1);
    counts.push(inside.length);
    for (const leave of inside.splice(0)) leave?.(1);
  }
  expect(counts).toEqual([8, 16, 16, 16, 16, 16]);
});
