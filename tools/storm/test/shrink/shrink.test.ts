import { expect, test } from "vitest";
import type { PlannedEvent, Scenario } from "../../src/scenario/scenario.ts";
import { shrinkList } from "../../src/shrink/shrink-list.ts";
import { shrinkScenario } from "../../src/shrink/shrink-scenario.ts";

const never = () => false;
const numbers = Array.from({ length: 100 }, (_, index) => index);

test.each([
  ["nothing", []],
  ["one", [42]],
  ["two far apart", [3, 97]],
  ["several", [10, 11, 50, 99]],
])("finds %s", async (_, needed) => {
  const has = (part: readonly number[]) => Promise.resolve(needed.every((one) => part.includes(one)));
  expect(await shrinkList(numbers, has, never)).toEqual(needed);
});

test("tries few parts", async () => {
  let tries = 0;
  const has = (part: readonly number[]) => {
    tries += 1;
    return Promise.resolve(part.includes(3) && part.includes(97));
  };
  await shrinkList(numbers, has, never);
  expect(tries).toBeLessThan(60);
});

test("keeps what it has when the time is over", async () => {
  let tries = 0;
  const has = (part: readonly number[]) => {
    tries += 1;
    return Promise.resolve(part.includes(3));
  };
  const kept = await shrinkList(numbers, has, () => tries >= 3);
  expect(kept).toContain(3);
  expect(kept.length).toBeLessThan(100);
});

function event(id: number): PlannedEvent {
  return { id, atMs: id * 1000, forMs: 0, kind: "kill", details: {} };
}

test("a scenario keeps the events and objects that its violation needs, and no other violation is taken for it", async () => {
  const object = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  const scenario: Scenario = {
    seed: 1,
    startMs: 0,
    stormMs: 100_000,
    quietMs: 1000,
    setup: { autoscalers: 1, adapters: 0, coordination: "alone", objects: ["a", "b", "c"].map(object) },
    events: numbers.map(event),
  };
  const run = ({ events, setup }: Scenario) => {
    const ids = events.map(({ id }) => id);
    const names = setup.objects.map(({ metadata }) => metadata.name);
    const isFound = ids.includes(7) && ids.includes(20) && names.includes("b");
    const invariant = isFound ? "wanted" : "another";
    return Promise.resolve({ invariant, message: "", atMs: 21_000 });
  };
  const shrunk = await shrinkScenario({ scenario, violation: await run(scenario) }, { run, isOver: never });
  expect(shrunk.scenario.events).toEqual([event(7), event(20)]);
  expect(shrunk.scenario.setup.objects).toEqual([object("b")]);
  expect(shrunk.violation.invariant).toBe("wanted");
});
