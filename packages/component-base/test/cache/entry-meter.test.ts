import { expect, test } from "vitest";
import { createEntryMeter } from "../../src/cache/cache-meter.ts";

test("the entries of maps are reported by name as they are now, those of one name together", () => {
  const meter = createEntryMeter();
  const [states, first, second] = [new Map([["a", 1]]), new Map<string, number>(), new Map([["b", 2]])];
  meter.add("states", states);
  meter.add("schedules", first);
  meter.add("schedules", second);
  first.set("c", 3);
  states.clear();
  expect([...meter.sizes()]).toEqual([
    ["states", 0],
    ["schedules", 2],
  ]);
  expect([...meter.keys()]).toEqual([
    ["states", []],
    ["schedules", ["c", "b"]],
  ]);
});
