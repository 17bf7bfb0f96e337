import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { drawSetup, parts } from "../../src/run/real-parts.ts";
import { runScenario } from "../../src/run/run.ts";
import { drawScenario } from "../../src/scenario/draw.ts";
import type { Scenario } from "../../src/scenario/scenario.ts";

const files = globSync(join(import.meta.dirname, "../../scenarios/*.json")).sort();

test.each(files.map((file) => [basename(file), file]))("%s is fixed", async (_, file) => {
  const scenario = JSON.parse(readFileSync(file, "utf8")) as Scenario;
  const { violation } = await runScenario(scenario, parts);
  expect(violation).toBeUndefined();
});

test("the whole world is a function of its scenario", async () => {
  const drawn = drawScenario(3, { faults: parts.faults, drawSetup, hours: 0.25 });
  const scenario = { ...drawn, stormMs: 180_000, quietMs: 0 };
  const first = await runScenario(scenario, parts);
  const second = await runScenario(scenario, parts);
  expect(first.requests).toBeGreaterThan(100);
  expect(second.hash).toBe(first.hash);
});
