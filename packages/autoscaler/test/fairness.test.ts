import { manualClock } from "@plimsoll/component-base/testing";
import { createKeyedController } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { createCallLimit } from "../src/budget/call-limit.ts";

const periodMs = 15_000;
const periods = 4;
const others = Array.from({ length: 20 }, (_, n) => `other-${n}`);
const hogs = ["hog-0", "hog-1"];
const objectsOfHog = 2500;

function ended(clock: ReturnType<typeof manualClock>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}

test("5,000 objects that hang for minutes, in two namespaces, cost no other namespace a turn", async () => {
  const clock = manualClock(0);
  const delaysMs: number[] = [];
  let lost = 0;
  const controller = createKeyedController({
    clock,
    random: () => 0.5,
    concurrency: 5,
    periodMs,
    async reconcile(key) {
      if (key.startsWith("hog")) return ended(clock, 130_000);
      return ended(clock, 20);
    },
    onError: (key, error) => expect.fail(`${key}: ${String(error)}`),
    observer: {
      period(key, { isSkipped }) {
        if (isSkipped && !key.startsWith("hog")) lost++;
      },
      started(key, { waitedMs }) {
        if (!key.startsWith("hog")) delaysMs.push(waitedMs);
      },
    },
  });
  for (const hog of hogs) for (let n = 0; n < objectsOfHog; n++) controller.gained(`${hog}/${n}`);
  for (const namespace of others) for (let n = 0; n < 5; n++) controller.gained(`${namespace}/${n}`);
  await clock.advance(periods * periodMs);
  expect(lost).toBe(0);
  expect(delaysMs).toHaveLength(periods * others.length * 5);
  expect(Math.max(...delaysMs)).toBeLessThan(periodMs / 3);
  // And there is always a place for one more that is slow.
  expect(controller.slow).toBeLessThan(500);
});

test("calls of one namespace that hang leave places to the others, whichever came first", async () => {
  const clock = manualClock(0);
  const limit = createCallLimit({ clock, atOnce: 5 });
  for (let n = 0; n < 2000; n++) void limit.run("hog", () => ended(clock, 10_000));
  const delaysMs: number[] = [];
  for (let second = 0; second < 60; second++) {
    for (const namespace of others.slice(0, 5)) {
      const askedAtMs = clock.nowMs();
      void limit.run(namespace, () => {
        delaysMs.push(clock.nowMs() - askedAtMs);
        return ended(clock, 20);
      });
    }
    await clock.advance(1000);
  }
  expect(delaysMs).toHaveLength(300);
  expect(Math.max(...delaysMs)).toBeLessThanOrEqual(1000);
});
