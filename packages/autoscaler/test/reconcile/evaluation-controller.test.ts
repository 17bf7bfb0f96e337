import { manualClock } from "@plimsoll/component-base/testing";
import type { Share } from "@plimsoll/observe";
import { expect, test } from "vitest";
import { createRuns } from "../../src/reconcile/evaluation-controller.ts";

const periodMs = 15_000;
const share = {} as Share;

/** Evaluates keys; "poison" crashes. */
function setUp() {
  const clock = manualClock(0);
  const evaluated: { readonly key: string; readonly share: Share; readonly atMs: number }[] = [];
  const crashing: (readonly [key: string, message: string])[] = [];
  const lines: (readonly [fields: object, message: string])[] = [];
  const periods: object[] = [];
  let crashes = 0;
  const runs = createRuns({
    evaluate(key, by) {
      evaluated.push({ key, share: by, atMs: clock.nowMs() });
      return key.endsWith("poison") ? Promise.reject(new Error("a bug")) : Promise.resolve(undefined);
    },
    onCrashing: (key, message) => void crashing.push([key, message]),
    share,
    telemetry: { crashed: () => crashes++, period: (period) => void periods.push(period) },
    clock,
    random: () => 0.5,
    log: { error: (fields, message) => void lines.push([fields, message]) },
    periodMs,
    concurrency: 2,
  });
  return { clock, crashing, evaluated, lines, periods, runs, crashed: () => crashes };
}

test("the third crash in a row is an event, and the object is evaluated less and less often", async () => {
  const { clock, crashed, crashing, evaluated, lines, runs } = setUp();
  const hpa = "default/poison";
  const err = new Error("a bug");
  runs.enqueue(hpa);
  await clock.advance(2 * periodMs);
  const crash = [{ hpa, err }, "evaluation crashed; other objects are not affected"];
  expect([evaluated.length, crashed(), crashing, lines]).toEqual([2, 2, [], [crash, crash]]);
  await clock.advance(2 * periodMs);
  expect(crashing).toEqual([
    [
      hpa,
      "the evaluation crashed 3 times in a row. This is a bug in the autoscaler; see its log. It retries less and less often, at least every 300 s, and at once when you edit the object",
    ],
  ]);
  expect(lines.slice(2)).toEqual([
    crash,
    [{ hpa, crashes: 3 }, "evaluation backs off after crashes; edit the object to retry at once"],
  ]);
  await clock.advance(3_600_000);
  const times = evaluated.map(({ atMs }) => atMs);
  const gaps = times.slice(1).map((atMs, n) => atMs - (times[n] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThan(periodMs / 2);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(20 * periodMs);
  expect(Math.max(...gaps)).toBeGreaterThan(10 * periodMs);
  await runs.stop();
});

test("a pass over all objects shares its queries, and the next evaluation does not use them", async () => {
  const { clock, evaluated, runs } = setUp();
  await runs.runAll(["default/a", "default/b"]);
  expect(evaluated.map(({ key }) => key)).toEqual(["default/a", "default/b"]);
  const [one, other] = evaluated.map((run) => run.share);
  expect(one).toBe(other);
  expect(one).not.toBe(share);
  expect(runs.entries["passes"]?.size).toBe(0);
  runs.enqueue("default/a");
  await clock.advance(1);
  expect(evaluated.at(-1)?.share).toBe(share);
  await runs.stop();
});

test("nothing is kept of an object that is lost in the middle of a pass", async () => {
  const { evaluated, runs } = setUp();
  const pass = runs.runAll(["default/a", "default/b", "default/c"]);
  for (const key of ["default/a", "default/b", "default/c"]) runs.lost(key);
  await pass;
  expect(evaluated.map(({ key }) => key)).not.toContain("default/c");
  for (const [name, { size }] of Object.entries(runs.entries)) expect([name, size]).toEqual([name, 0]);
  await runs.stop();
});

test("objects are evaluated by period, and each period is counted", async () => {
  const { clock, evaluated, periods, runs } = setUp();
  runs.gained("default/a", undefined, "periodic");
  await clock.advance(3 * periodMs + 1000);
  expect(evaluated.length).toBeGreaterThanOrEqual(3);
  expect(periods.length).toBeGreaterThanOrEqual(2);
  expect(periods).toContainEqual({ lateMs: expect.any(Number), isSkipped: false });
  expect([runs.periodMs, runs.waiting, runs.slow]).toEqual([periodMs, 0, 0]);
  await runs.stop();
});
