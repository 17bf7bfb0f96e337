import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parts } from "../../src/run/real-parts.ts";
import { runScenario } from "../../src/run/run.ts";

const page = readFileSync(new URL("../../../../docs/developers/testing.md", import.meta.url), "utf8");

/** The names in the first column of the table below a heading. */
function namesUnder(heading: string): readonly string[] {
  const [, section = ""] = page.split(`\n### ${heading}\n`);
  const [own = ""] = section.split(/^##/m, 1);
  const cells = [...own.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)).sort();
}

test("the page about the storm has each of its faults", () => {
  expect(namesUnder("Faults of the storm")).toEqual(Object.keys(parts.faults).sort());
});

test("the page about the storm has each of its invariants", async () => {
  const names: string[] = [];
  const invariants = parts.invariants.map((create): typeof create => (world) => {
    const invariant = create(world);
    names.push(invariant.name);
    return invariant;
  });
  const setup = { autoscalers: 1, adapters: 0, coordination: "leader", objects: [] } as const;
  await runScenario(
    { seed: 1, startMs: 0, stormMs: 0, quietMs: 0, setup, events: [] },
    { ...parts, invariants },
  );
  expect(namesUnder("Invariants of the storm")).toEqual(names.sort());
});
