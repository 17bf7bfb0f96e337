import { minuteMs } from "@plimsoll/core/internal/values";
import { expect, test } from "vitest";
import { createRandom } from "../../src/random/random.ts";
import { drawSetup, parts } from "../../src/run/real-parts.ts";
import { runScenario } from "../../src/run/run.ts";
import type { CreateInvariant } from "../../src/run/world.ts";

test("no program sends a version with a list or a read, which a cache that is behind could serve then", async () => {
  let reads = 0;
  const withVersion: string[] = [];
  const looks: CreateInvariant = () => ({
    name: "reads",
    observe(observation) {
      if (observation.kind !== "sent") return undefined;
      const { method, path, query } = observation.request;
      if (method !== "GET" || query.has("watch")) return undefined;
      reads += 1;
      if (query.has("resourceVersion")) withVersion.push(path);
      return undefined;
    },
  });
  const setup = drawSetup(createRandom(1).stream("setup"));
  const startMs = Date.UTC(2026, 5, 1, 12);
  await runScenario(
    { seed: 1, startMs, stormMs: 3 * minuteMs, quietMs: 0, setup, events: [] },
    { ...parts, invariants: [looks] },
  );
  expect(reads).toBeGreaterThan(10);
  expect(withVersion).toEqual([]);
});
