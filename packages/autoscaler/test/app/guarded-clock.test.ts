import { manualClock } from "@plimsoll/component-base/testing";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { guardedClock } from "../../src/app/app.ts";

function world() {
  const manual = manualClock(1_800_000_000_000);
  const registry = new Registry();
  const lines: string[] = [];
  const log = { error: (_: object, message: string) => lines.push(message) };
  const clock = guardedClock(manual, { registry, log });
  const crashed = async () => /plimsoll_crashed_timers_total (\d+)/.exec(await registry.metrics())?.[1];
  return { manual, clock, lines, crashed };
}

test("an exception in a timer is counted and logged, and the next timers run", async () => {
  const { manual, clock, lines, crashed } = world();
  let runs = 0;
  clock.after(10, () => {
    throw new Error("boom");
  });
  clock.after(10, () => runs++);
  const cancel = clock.after(20, () => runs++);
  cancel();
  await manual.advance(30);
  expect(runs).toBe(1);
  expect(await crashed()).toBe("1");
  expect(lines).toEqual(["a timer crashed; other timers are not affected"]);
});
