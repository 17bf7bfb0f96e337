import { prometheusProgram } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Attack, keptCases, type Step } from "../hostile/attack.ts";
import { randomAttack } from "../hostile/grammar/attacks.ts";
import { type Arena, openArena } from "../hostile/run.ts";

const seed = Math.floor(Math.random() * 2 ** 31);

let arena: Arena;

// The short form of `npm run test:hostile`: many cases at once, for seconds, beside other tests, so with wider limits.
beforeAll(async () => {
  const prometheus = prometheusProgram();
  arena = await openArena({ prometheus, baselineMs: 2500, generosity: 4, maxWaitMs: 0, afterwards: false });
}, 120_000);

afterAll(() => arena?.stop(), 60_000);

const writes = ({ steps }: Attack) => steps.some(({ write }) => write !== undefined);

/** What one object or one request costs shows as well as what hundreds do. */
function shortened(attack: Attack): Attack {
  return { ...attack, steps: attack.steps.map(shortenedStep) };
}

function shortenedStep({ write, request, ...others }: Step): Step {
  return {
    ...others,
    ...(write === undefined ? {} : { write: { ...write, copies: Math.min(write.copies ?? 1, 10) } }),
    ...(request === undefined
      ? {}
      : { request: { ...request, times: Math.ceil(request.times / 50), atOnce: 1 } }),
  };
}

test.each([
  ["every kept case of objects at once", () => keptCases().filter(writes)],
  ["every kept case of series and requests at once", () => keptCases().filter((one) => !writes(one))],
  ["random ones", () => [0, 1, 2].map((n) => randomAttack(seed, n))],
])("%s: a tenant beside them notices nothing", { timeout: 120_000 }, async (name, attacks) => {
  const { violations } = await arena.run(name, attacks().map(shortened), 5000);
  expect(violations, `npm run test:hostile -- --seed ${seed}`).toEqual([]);
});
