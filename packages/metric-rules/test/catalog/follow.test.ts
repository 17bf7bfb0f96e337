import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createFollower } from "../../src/catalog/follow.ts";

test("a namespace whose rules take long to decide on waits longer, and no other does", async () => {
  const manual = manualClock(0);
  let workMs = 0;
  const clock = { ...manual, nowMs: () => manual.nowMs() + workMs, steadyMs: () => manual.nowMs() + workMs };
  const updates: string[] = [];
  const follower = createFollower({
    clock,
    update(namespace) {
      if (namespace === "hostile") workMs += 400;
      updates.push(namespace);
    },
  });
  for (let step = 0; step < 200; step += 1) {
    follower.changed("hostile");
    follower.changed("shop");
    await manual.advance(100);
  }
  expect(updates.filter((name) => name === "hostile").length).toBeLessThanOrEqual(4);
  expect(updates.filter((name) => name === "shop").length).toBeGreaterThanOrEqual(17);
  follower.stop();
});

test("nothing is decided on after the end", async () => {
  const clock = manualClock(0);
  const updates: string[] = [];
  const follower = createFollower({ clock, update: (namespace) => void updates.push(namespace) });
  follower.changed("shop");
  follower.stop();
  follower.changed("other");
  await clock.advance(10_000);
  expect(updates).toEqual([]);
});
