// A whole search: what it finds, what it must not see, and that nothing but the request decides.
import { expect, test } from "vitest";
import {
  type EvaluateBatch,
  evaluateTask,
  type TuneRequest,
  type TuneSpace,
  type TuneTask,
} from "../../src/index.ts";
import {
  afterwards,
  evaluateInOrder,
  hotAbove,
  loadTarget,
  monthRequest,
  tuned,
} from "../../src/testing/month.ts";

/** The target alone, of few values. */
function targets(...target: readonly number[]): TuneSpace {
  return {
    target,
    minReplicas: "today",
    scaleDownWindow: "today",
    scaleUpWindow: "today",
    scaleDownPolicies: "today",
    scaleUpPolicies: "today",
    toleranceDown: "today",
    toleranceUp: "today",
    floor: "today",
  };
}

const wasteful = { today: loadTarget(50), days: 14, seed: 3 };
/** The usual budget follows the mean load of all days; here it is given. */
const ofTargets: Partial<TuneRequest> = {
  space: targets(60, 65, 67.5, 70, 75),
  openLoopSkill: 0.8,
  objective: { hotAbove, hotSecondsPerDay: 86.4, shortPodSecondsPerDay: 60 },
};
const ofWasteful = monthRequest(wasteful, ofTargets);
/** In the order of its tasks, with all of them. */
const seen: TuneTask[][] = [];
const found = await tuned(ofWasteful, async (batch, report) => {
  seen.push([...batch.tasks]);
  await evaluateInOrder(batch, report);
});

test("where today's target is half of what a pod can do, most of it is found, and the objective is kept afterwards", () => {
  const [first] = found.report?.recommendations ?? [];
  if (first === undefined) throw new Error("nothing is recommended");
  expect(first.candidate.changes).toEqual([
    { parameter: "target", from: 50, to: first.candidate.parameters.target },
  ]);
  const [before, after] = [wasteful.today, first.candidate.autoscaler].map((one) =>
    afterwards(wasteful, one, 14),
  );
  if (before === undefined || after === undefined) throw new Error("the days afterwards have no scores");
  // A target of 70 keeps the objective: 1 − 50/70 are to be gained.
  expect(1 - after.podHours / before.podHours).toBeGreaterThan(0.7 * 0.28);
  expect(after.hotSeconds / 14).toBeLessThanOrEqual(86.4);
  expect(first.robustness.map(({ what }) => what).slice(0, 3)).toEqual([
    "load +20 %",
    "start-up × 2",
    "5 % of scrapes fail",
  ]);
  expect(first.robustness.every(({ isKept }) => isKept)).toBe(true);
  expect(first.interval.low).toBeGreaterThan(0.03);
  expect(first.confidence).toBe("medium");
  expect(first.reasons).toEqual(["14 whole days"]);
  expect(first.patch).toMatchObject({
    kind: "merge-patch",
    apiVersion: "autoscaling/v2",
    object: "HorizontalPodAutoscaler",
    namespace: "default",
    name: "shop",
  });
});

test("the last days are simulated once, at the end, by today's and at most three finalists", () => {
  const unseen = new Set([12, 13]);
  const stages = seen.map((tasks) => tasks.filter(({ day }) => unseen.has(day)).length);
  expect(stages.slice(0, -1).every((count) => count === 0)).toBe(true);
  const last = seen.at(-1) ?? [];
  expect(last.every(({ day, stress }) => unseen.has(day) && stress === undefined)).toBe(true);
  expect(last.length).toBeGreaterThanOrEqual(2 * 2);
  expect(last.length).toBeLessThanOrEqual(4 * 2);
});

test("where those that save most fail on the test days, a moderate one that passes is proposed", async () => {
  const evaluate: EvaluateBatch = ({ world, tasks }, report) =>
    evaluateInOrder({ world, tasks }, (index, outcome) => {
      const { day = 0, autoscaler } = tasks[index] ?? {};
      const [metric] = autoscaler?.hpa.spec.metrics ?? [];
      const isHot = day >= 12 && Number(metric?.external?.target.averageValue) > 62;
      const isChanged = isHot && outcome.ok;
      report(index, isChanged ? { ok: true, scores: { ...outcome.scores, hotSeconds: 40_000 } } : outcome);
    });
  const { report } = await tuned({ ...ofWasteful, space: targets(60, 65, 70) }, evaluate);
  const proposed = report?.recommendations.map(({ candidate }) => candidate.parameters.target);
  expect(proposed).toEqual([60]);
  expect(report?.recommendations[0]?.saved).toBeGreaterThan(0.1);
});

test("what happens on test days changes nothing before them", async () => {
  const month = { ...wasteful, factor: (day: number) => (day >= 12 ? 1.25 : 1) };
  const before = (tasks: readonly TuneTask[]): readonly TuneTask[] => tasks.filter(({ day }) => day < 12);
  const theirs: TuneTask[] = [];
  await tuned(monthRequest(month, ofTargets), async (batch, report) => {
    theirs.push(...before(batch.tasks));
    await evaluateInOrder(batch, report);
  });
  expect(theirs).toEqual(before(seen.flat()));
});

test("the order in which tasks are made does not matter", async () => {
  const backwards: EvaluateBatch = async ({ world, tasks }, report) => {
    for (const [index, task] of [...tasks.entries()].toReversed()) {
      await Promise.resolve();
      report(index, evaluateTask(structuredClone(world), structuredClone(task)));
    }
  };
  const again = await tuned(ofWasteful, backwards);
  expect(JSON.stringify(again.report)).toBe(JSON.stringify(found.report));
});

test("progress counts simulated days, and never more than are expected", () => {
  const done = found.progress.map((one) => one.done);
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  expect(found.progress.every((one) => one.done <= one.expected)).toBe(true);
  expect(found.progress.at(-1)?.stage).toBe("test");
  expect(found.report?.simulatedDays).toBe(done.at(-1));
  expect(found.report?.isComplete).toBe(true);
});

test("where there is nothing to gain, what there is stays", async () => {
  const month = { today: loadTarget(70), days: 14, seed: 3 };
  const { report } = await tuned(monthRequest(month, { space: targets(65, 72, 76, 80) }));
  expect(report?.recommendations).toEqual([]);
  expect(report?.rejected[0]?.why).toMatch(/breaks the objective|saves/);
  expect(report?.split.test).toEqual(["2026-01-17", "2026-01-18"]);
});

test("an interruption gives what is known until then, and no recommendation", async () => {
  let batches = 0;
  const signal = {
    get aborted() {
      return batches >= 2;
    },
    throwIfAborted() {},
  };
  const { report } = await tuned({ ...ofWasteful, signal }, async (batch, each) => {
    batches++;
    await evaluateInOrder(batch, each);
  });
  expect(report?.isComplete).toBe(false);
  expect(report?.recommendations).toEqual([]);
  expect(batches).toBe(2);
});

test("a simulation that fails ends the search with its message", async () => {
  const { refusal } = await tuned(ofWasteful, async ({ tasks }, report) => {
    for (const index of tasks.keys()) report(index, { ok: false, message: "the thread has no memory" });
  });
  expect(refusal).toEqual({ kind: "failed", message: "a simulation failed: the thread has no memory" });
});

const shortMonth = monthRequest({ today: loadTarget(50), days: 8 });

test("with seven to thirteen whole days only target and behavior are varied", async () => {
  const { report } = await tuned(shortMonth, async ({ tasks }, each) => {
    const scores = { podHours: 1, peak: 1, events: 0, reversals: 0, hotSeconds: 0, shortPodSeconds: 0 };
    for (const index of tasks.keys()) each(index, { ok: true, scores });
  });
  expect(report?.split).toMatchObject({ whole: 8, isThin: true });
  expect(report?.space.map(({ parameter }) => parameter)).toEqual([
    "target",
    "scaleDownWindow",
    "scaleUpWindow",
    "scaleDownPolicies",
    "scaleUpPolicies",
    "toleranceDown",
    "toleranceUp",
  ]);
  expect(report?.recommendations).toEqual([]);
});

test.each<{ what: string; request: Partial<TuneRequest>; kind: string; says: RegExp }>([
  {
    what: "too few days",
    request: {
      timeZone: "Asia/Tokyo",
      recording: {
        ...shortMonth.recording,
        span: { ...shortMonth.recording.span, toMs: shortMonth.recording.span.fromMs + 6 * 86_400_000 },
      },
    },
    kind: "too-few-days",
    says: /has 5 whole days in Asia\/Tokyo, but a search needs 7: record a longer time/,
  },
  {
    what: "no time zone",
    request: { timeZone: "Nowhere" },
    kind: "time-zone",
    says: /Nowhere is not a time zone: use a value such as/,
  },
  {
    what: "an objective in cpu of another load",
    request: { objective: { utilization: 0.85 } },
    kind: "objective",
    says: /utilization 0.85 is a share of the requested cpu, but the load is in load/,
  },
  {
    what: "a part above 1",
    request: { objective: { utilization: 85 } },
    kind: "objective",
    says: /utilization 85/,
  },
  {
    what: "no load",
    request: { objective: { hotAbove: 0 } },
    kind: "objective",
    says: /hotAbove 0 must be a number above 0/,
  },
  {
    what: "a space without sense",
    request: { space: { target: { min: 9, max: 3 } } },
    kind: "space",
    says: /target.max 3 is below target.min: raise it/,
  },
  {
    what: "a specification on another metric",
    request: { inferred: { ...shortMonth.inferred, known: [] } },
    kind: "metric",
    says: /it scales on load/,
  },
  {
    what: "a recording that the model does not reproduce",
    request: { recording: { ...shortMonth.recording, scale: [{ atMs: 0, earliestMs: 0, value: 40 }] } },
    kind: "model-error",
    says: /differs too much from the recording/,
  },
])("refused: $what", async ({ request, kind, says }) => {
  const { refusal, report } = await tuned({ ...shortMonth, ...request });
  expect(report).toBeUndefined();
  expect(refusal?.kind).toBe(kind);
  expect(refusal?.message).toMatch(says);
});
