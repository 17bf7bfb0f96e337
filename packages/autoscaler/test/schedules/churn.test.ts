import { expect, test } from "vitest";
import { churn, wave } from "./churn.ts";

test("of 2,000 objects that came and went nothing is evaluated any more", async () => {
  const world = await churn(2000);
  expect(world.jobs.targets()).toEqual([]);
  // The end of the entry that all of them had.
  await world.clock.advance(86_400_000);
  expect(world.notified()).toBe(0);
  expect(world.targets.saved).toBeLessThanOrEqual(wave);
  world.evaluator.stop();
  await world.bounds.stop();
});
