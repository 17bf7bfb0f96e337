import { readBudget, runsOf } from "@plimsoll/properties";
import { expect, test } from "vitest";
import { harmlessKinds } from "../../src/faults/harmless.ts";
import { faults } from "../../src/faults/index.ts";
import { formerWindow } from "../../src/invariants/former-window.ts";
import { keptPolicies } from "../../src/invariants/kept-policies.ts";
import { keptWindow } from "../../src/invariants/kept-window.ts";
import { oneOwner } from "../../src/invariants/one-owner.ts";
import { oneWriter } from "../../src/invariants/one-writer.ts";
import { createTakenOver, takeoverMs } from "../../src/invariants/taken-over.ts";
import { createRandom, type Random } from "../../src/random/random.ts";
import { drawSetup, parts } from "../../src/run/real-parts.ts";
import { runScenario } from "../../src/run/run.ts";
import type { PlannedEvent, Scenario, Setup } from "../../src/scenario/scenario.ts";

/** 20, and 200 in a daily run. */
const seeds = Array.from({ length: runsOf(200, readBudget(process.env)) }, (_, n) => n + 1);

/** Nothing but processes that are killed, one after the other, with time to come to rest between. */
function drawFailover(seed: number): Scenario {
  const random = createRandom(seed).stream("failover");
  const setup = {
    ...drawSetup(random.stream("setup")),
    coordination: random.pick(["leader", "shards"] as const),
    autoscalers: random.between(2, 4),
  };
  const events: PlannedEvent[] = Array.from({ length: 3 }, (_, n) => ({
    id: n + 1,
    atMs: 65_000 + 85_000 * n + random.between(0, 10_000),
    forMs: 6000 + random.between(0, 4000),
    kind: "kill",
    details: {
      process: `autoscaler-${String(random.between(0, setup.autoscalers - 1))}`,
      point: random.pick(["now", "delivery", "before-send", "after-send"]),
      skip: random.between(0, 5),
    },
  }));
  const startMs = Date.parse("2026-06-01T00:00:00Z") + seed * 7_919_000;
  return { seed, startMs, stormMs: 250_000, quietMs: 0, setup, events };
}

const usersKinds = Object.keys(faults).filter((kind) => kind !== "kill" && harmlessKinds.test(kind));

/** What users, workloads and values do meanwhile. */
function drawUsers(random: Random, setup: Setup): readonly PlannedEvent[] {
  return Array.from({ length: 20 }, (_, n): PlannedEvent | undefined => {
    const own = random.stream(String(n));
    const kind = own.pick(usersKinds as [string, ...string[]]);
    const details = faults[kind]?.draw(own.stream("details"), setup);
    const forMs = faults[kind]?.maxForMs === undefined ? 0 : own.between(500, 90_000);
    return details && { id: 10 + n, atMs: own.between(10_000, 245_000), forMs, kind, details };
  }).filter((event) => event !== undefined);
}

const took: number[] = [];
const checks = new Map<string, number>();
/** What takeovers could break; others need a quiet time at the end. */
const invariants = [
  createTakenOver((tookMs) => took.push(tookMs)),
  formerWindow,
  keptPolicies,
  keptWindow,
  oneOwner,
  oneWriter,
];

test.each(seeds)(
  "seed %i: what a killed process evaluated is evaluated within 5 s, and no window is cut short",
  async (seed) => {
    const result = await runScenario(drawFailover(seed), { ...parts, invariants });
    expect(result.violation).toBeUndefined();
    for (const [name, count] of result.checks) checks.set(name, (checks.get(name) ?? 0) + count);
  },
);

test.each(seeds.slice(0, seeds.length / 2))("seed %i: so it is whatever users do meanwhile", async (seed) => {
  const scenario = drawFailover(seed);
  const users = drawUsers(createRandom(seed).stream("users"), scenario.setup);
  const events = [...scenario.events, ...users].sort((a, b) => a.atMs - b.atMs);
  const result = await runScenario({ ...scenario, events }, { ...parts, invariants });
  expect(result.violation).toBeUndefined();
});

test("processes were taken over, and windows of former processes were checked", () => {
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.floor(share * (took.length - 1))] ?? Number.NaN;
  console.log(`${String(took.length)} takeovers: median ${String(at(0.5))} ms, longest ${String(at(1))} ms`);
  console.log(`windows of former processes were checked ${String(checks.get("former-window"))} times`);
  expect(took.length).toBeGreaterThanOrEqual(seeds.length);
  expect(at(1)).toBeLessThanOrEqual(takeoverMs);
  expect(checks.get("former-window")).toBeGreaterThan(seeds.length);
});
