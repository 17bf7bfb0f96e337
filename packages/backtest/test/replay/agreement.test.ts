// How far decisions agree: steps, skill, events, pod-hours.
import { expect, test } from "vitest";
import { createAgreementMeter, type OpenLoopStep } from "../../src/replay/agreement.ts";

const periodMs = 15_000;

function measured(counts: readonly Omit<OpenLoopStep, "atMs">[]) {
  const meter = createAgreementMeter(periodMs);
  for (const [n, step] of counts.entries()) meter.add({ atMs: n * periodMs, ...step });
  return meter.result();
}

const still = { current: 4, recorded: 4, ours: 4 };

test("nothing that ever changes agrees, and shows no skill", () => {
  expect(measured([still, still, still])).toEqual({
    steps: 3,
    agreed: 3,
    skill: undefined,
    events: { recorded: 0, matched: 0, exact: 0, extra: 0 },
    podHoursError: 0,
  });
});

test("to never scale agrees nearly always, and has a skill of 0", () => {
  const steps = [...Array.from({ length: 99 }, () => still), { current: 4, recorded: 5, ours: 4 }];
  expect(measured(steps)).toMatchObject({
    agreed: 99,
    skill: 0,
    events: { recorded: 1, matched: 0, exact: 0, extra: 0 },
  });
});

test("a change one period late is the same change, two periods late another one", () => {
  const missed = { current: 4, recorded: 6, ours: 4 };
  const made = { current: 4, recorded: 4, ours: 6 };
  expect(measured([missed, made]).events).toEqual({ recorded: 1, matched: 1, exact: 1, extra: 0 });
  expect(measured([missed, still, made]).events).toEqual({ recorded: 1, matched: 0, exact: 0, extra: 1 });
});

test("a change to another count matches by its direction, the other way it is extra", () => {
  const other = { current: 4, recorded: 6, ours: 5 };
  expect(measured([other]).events).toEqual({ recorded: 1, matched: 1, exact: 0, extra: 0 });
  const against = { current: 4, recorded: 6, ours: 3 };
  expect(measured([against]).events).toEqual({ recorded: 1, matched: 0, exact: 0, extra: 1 });
});

test("pod-hours leave out what lies in a gap", () => {
  const meter = createAgreementMeter(periodMs);
  meter.add({ atMs: 0, current: 4, recorded: 4, ours: 5 });
  meter.add({ atMs: 60_000, current: 4, recorded: 4, ours: 4 });
  meter.add({ atMs: 120_000, current: 4, recorded: 100, ours: 1 });
  meter.add({ atMs: 900_000, current: 4, recorded: 4, ours: 4 });
  expect(meter.result().podHoursError).toBeCloseTo(1 / 8, 12);
});

test("a step that is not behind the last one is refused", () => {
  const meter = createAgreementMeter(periodMs);
  meter.add({ atMs: 1, ...still });
  expect(() => meter.add({ atMs: 1, ...still })).toThrow("step at 1 is not later than the one at 1");
});
