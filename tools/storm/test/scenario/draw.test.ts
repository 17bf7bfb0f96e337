import { expect, test } from "vitest";
import { harmlessKinds } from "../../src/faults/harmless.ts";
import { faults } from "../../src/faults/index.ts";
import { drawSetup } from "../../src/objects/draw-setup.ts";
import { drawScenario } from "../../src/scenario/draw.ts";

const options = { faults, drawSetup };

test("the same seed draws the same scenario, which JSON keeps", () => {
  const scenario = drawScenario(5, options);
  expect(drawScenario(5, options)).toEqual(scenario);
  expect(JSON.parse(JSON.stringify(scenario))).toEqual(scenario);
  expect(drawScenario(6, options)).not.toEqual(scenario);
});

test("events come in the order of their times, and all end with the storm", () => {
  const kinds = new Set<string>();
  for (let seed = 1; seed <= 50; seed += 1) {
    const { events, stormMs } = drawScenario(seed, options);
    for (const [index, { atMs, forMs, kind }] of events.entries()) {
      kinds.add(kind);
      expect(atMs).toBeGreaterThanOrEqual(events[index - 1]?.atMs ?? 0);
      expect(atMs + forMs).toBeLessThanOrEqual(stormMs);
    }
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  }
  expect([...kinds].sort()).toEqual(Object.keys(faults).sort());
});

test("in some seeds processes are killed, and nothing else disturbs the others", () => {
  const drawn = Array.from({ length: 100 }, (_, seed) => drawScenario(seed, options).events);
  const calm = drawn.filter(
    (events) => events.length > 20 && events.every(({ kind }) => harmlessKinds.test(kind)),
  );
  expect(calm.length).toBeGreaterThanOrEqual(5);
  for (const events of calm) expect(events.map(({ kind }) => kind)).toContain("kill");
});

test("a run lasts as long as it is said, its quiet time included", () => {
  const { stormMs, quietMs } = drawScenario(1, { ...options, hours: 1 });
  expect(stormMs + quietMs).toBe(3_600_000);
  expect(() => drawScenario(1, { ...options, hours: 0.1 })).toThrow("quiet");
});
