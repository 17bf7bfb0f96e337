import { expect, test } from "vitest";
import type { ScalingObject } from "../../../src/objects/scaling-object.ts";
import type { Contest, Yielded } from "../../../src/reconcile/conflicts/conflict.ts";
import {
  contestNow,
  followed,
  isAutoscaler,
  isForeignStatus,
  isOver,
  isOverwritten,
  nextWriteMs,
  scaleConflict,
  statusConflict,
  takeOverMs,
} from "../../../src/reconcile/conflicts/foreign-writer.ts";
import { createStates, type ObjectState } from "../../../src/reconcile/remember/state.ts";

const periodMs = 15_000;
const nowMs = Date.parse("2030-01-01T00:00:00Z");
const [ours, theirs] = [{ desiredReplicas: 3 }, { desiredReplicas: 7 }];

function stored(
  resourceVersion: string,
  status: object | undefined,
  more: { readonly manager?: string; readonly uid?: string; readonly reclaim?: string } = {},
): ScalingObject {
  const { manager, uid = "u1", reclaim } = more;
  const annotations = reclaim === undefined ? {} : { "autoscaling.plimsoll.dev/reclaim": reclaim };
  return {
    kind: "HorizontalPodAutoscaler",
    metadata: { namespace: "default", name: "shop", uid, resourceVersion, annotations },
    spec: { scaleTargetRef: { kind: "Deployment", name: "shop" }, maxReplicas: 9 },
    status,
    ...(manager === undefined ? {} : { statusWriter: { manager, at: undefined } }),
  };
}

const state: ObjectState = {
  ...createStates(() => true).of("default/shop", stored("5", ours)),
  lastWritten: stored("5", ours),
  hasStored: true,
};

test.each([
  ["plimsoll-autoscaler", true],
  ["kube-controller-manager", true],
  ["kubectl", false],
])("replicas that %s wrote are an autoscaler's: %s", (manager, is) => {
  expect(isAutoscaler({ manager, at: undefined })).toBe(is);
});

const suspect = { lastMs: nowMs, seen: stored("6", { desiredReplicas: 7 }) };

test.each<[what: string, object: ScalingObject, change: Partial<ObjectState>, is: boolean]>([
  ["newer and different", stored("6", theirs), {}, true],
  ["different from the suspect one too", stored("6", { desiredReplicas: 8 }), { suspect }, true],
  ["found before we wrote any", stored("6", theirs), { lastWritten: undefined }, false],
  ["that a write of ours may have stored", stored("6", theirs), { isStatusUncertain: true }, false],
  ["of an object that was created again", stored("6", theirs, { uid: "u2" }), {}, false],
  ["from before our write", stored("4", theirs), {}, false],
  ["of the version that we wrote", stored("5", theirs), {}, false],
  ["that says what ours says", stored("6", { ...ours }), {}, false],
  ["that is suspect already", stored("6", theirs), { suspect }, false],
  ["of a suspect whose specification was edited", stored("7", theirs), { suspect }, false],
  ["that is written again over ours", stored("9", theirs), { suspect, lastWritten: stored("8", ours) }, true],
])("a status %s", (_, object, change, is) => {
  expect(isForeignStatus(object, { ...state, ...change })).toBe(is);
});

test.each([
  ["keda", 1000, "keda", 15_000],
  ["keda", 30_000, "keda", 30_000],
  ["keda", 600_000, "keda", 60_000],
  [undefined, periodMs, "an unknown client", 15_000],
])(
  "the first status of %s, found with a period of %i ms, ends our management",
  (manager, period, by, theirMs) => {
    const found = stored("6", theirs, { reclaim: "now", ...(manager === undefined ? {} : { manager }) });
    const at = { sinceMs: nowMs, lastMs: nowMs, count: 1, periodMs: theirMs };
    expect(statusConflict(state, found, { nowMs, periodMs: period })).toEqual({
      yielded: { ...at, by, seen: theirs, reclaim: "now" },
      suspect: undefined,
    });
  },
);

test.each([
  [periodMs, 300_000, "another plimsoll-autoscaler"],
  [periodMs, 300_001, undefined],
  [600_000, 1_800_000, "another plimsoll-autoscaler"],
  [600_000, 1_800_001, undefined],
])("with a period of %i ms, a second own status after %i ms is left to %s", (period, laterMs, by) => {
  const limits = { periodMs: period };
  const found = stored("6", theirs, { manager: "plimsoll-autoscaler" });
  const first = statusConflict(state, found, { nowMs, ...limits });
  expect(first).toEqual({ yielded: undefined, suspect: { lastMs: nowMs, seen: found } });
  const later = { nowMs: nowMs + laterMs, ...limits };
  const known = { ...state, suspect: first.suspect };
  expect(statusConflict(known, found, later)).toEqual(first);
  const second = stored("7", { desiredReplicas: 8 }, { manager: "plimsoll-autoscaler" });
  const { yielded, suspect: again } = statusConflict(known, second, later);
  expect([yielded?.by, again?.seen]).toEqual([by, by === undefined ? second : undefined]);
});

test.each([
  ["plimsoll-autoscaler", undefined],
  ["kube-controller-manager", "kube-controller-manager"],
])("of two statuses of %s that a watch shows before ours is stored, %s counts", (manager, by) => {
  const known = { ...state, hasStored: false, suspect };
  const found = stored("6", { desiredReplicas: 8 }, { manager });
  expect(statusConflict(known, found, { nowMs, periodMs }).yielded?.by).toBe(by);
});

test.each([
  [true, 300_001, theirs],
  [true, 300_001, { desiredReplicas: 8 }],
  [false, 0, { desiredReplicas: 8 }],
])("a status that does not end our management holds up no write: %s %i %o", (hasStored, ageMs, status) => {
  const known = { ...state, hasStored, suspect: { ...suspect, lastMs: nowMs - ageMs } };
  const found = stored("7", status, { manager: "plimsoll-autoscaler" });
  const { yielded, suspect: left } = statusConflict(known, found, { nowMs, periodMs });
  expect([yielded, isForeignStatus(found, { ...known, suspect: left })]).toEqual([undefined, false]);
});

const yielded: Yielded = {
  by: "keda",
  sinceMs: nowMs,
  lastMs: nowMs,
  count: 1,
  periodMs: 15_000,
  seen: theirs,
  reclaim: undefined,
};

test.each([
  ["at once", 1000, 15_000],
  ["more slowly", 40_000, 40_000],
  ["after a long time", 3_600_000, 60_000],
])("another controller that writes again %s is followed, with its period", (_, afterMs, theirMs) => {
  const again = stored("7", { desiredReplicas: 8 }, { manager: "argo" });
  const known = { lastWritten: undefined, yielded: { ...yielded, isUnwatched: true } as const };
  expect(followed(known, again, nowMs + afterMs)).toEqual({
    ...yielded,
    by: "argo",
    lastMs: nowMs + afterMs,
    count: 2,
    periodMs: theirMs,
    seen: again.status,
  });
  // From then on it is watched.
  expect(followed(known, stored("7", { ...theirs }), nowMs + afterMs)).toEqual(yielded);
});

const silent = { nowMs: nowMs + 45_000, object: stored("7", { ...theirs }), change: {} };

test.each<
  [what: string, change: Partial<typeof silent & { readonly change: Partial<Yielded> }>, is: boolean]
>([
  ["is silent for three of its periods", {}, true],
  ["is silent for nearly as long", { nowMs: nowMs + 44_999 }, false],
  ["has just written", { object: stored("7", { desiredReplicas: 8 }) }, false],
  [
    "wrote while another process had the object",
    { object: stored("7", ours), change: { isUnwatched: true } },
    true,
  ],
  ["wrote less than it", { nowMs: nowMs + 44_999, change: { isUnwatched: true } }, false],
  ["loses it to an annotation", { nowMs, object: stored("7", theirs, { reclaim: "now" }) }, true],
])("an object is ours again when another controller %s: %s", (_, options, is) => {
  const { nowMs: atMs, object, change } = { ...silent, ...options };
  const known = { ...yielded, ...change };
  expect(takeOverMs(yielded)).toBe(nowMs + 45_000);
  expect(isOver({ lastWritten: undefined, yielded: known }, object, atMs)).toBe(is);
});

test("our own status that names the other controller does not count as its write", () => {
  const known = { lastWritten: stored("8", ours), yielded };
  expect(isOver(known, stored("8", { ...ours }), nowMs + 45_000)).toBe(true);
  expect(isOver(known, stored("9", { desiredReplicas: 8 }), nowMs + 45_000)).toBe(false);
});

const scaledAgo = (ageMs: number) => ({ replicas: 5, atMs: nowMs - ageMs });

test.each([
  [15_000, 0, 3, true],
  [15_000, 60_000, 3, true],
  [15_000, 60_001, 3, false],
  [15_000, -1, 3, false],
  [15_000, 1000, 5, false],
  [60_000, 120_000, 3, true],
  [60_000, 120_001, 3, false],
])(
  "with a period of %i ms, %i ms after we wrote 5, finding %i is an overwrite: %s",
  (period, ageMs, found, is) => {
    const known = { contest: undefined, lastScale: scaledAgo(ageMs) };
    const at = { nowMs, periodMs: period };
    expect(isOverwritten(known, found, at)).toBe(is);
    const writer = { manager: "helm", at: undefined };
    const conflict = scaleConflict(known, { found, writer, nowMs }, at);
    expect(conflict.overwritten).toEqual(is ? { wrote: 5, found, manager: "helm" } : undefined);
    expect(conflict.contest?.count).toBe(is ? 1 : undefined);
    // It is compared again for as long as it may still be undone.
    expect(conflict.lastScale).toEqual(found === 5 ? known.lastScale : undefined);
    expect(isOverwritten({ lastScale: undefined }, found, at)).toBe(false);
  },
);

test("replicas that lasted are not compared any more", () => {
  const compare = (ageMs: number) =>
    scaleConflict(
      { contest: undefined, lastScale: scaledAgo(ageMs) },
      { found: 5, writer: undefined, nowMs },
      { periodMs },
    ).lastScale;
  expect([compare(60_000), compare(60_001)]).toEqual([scaledAgo(60_000), undefined]);
});

/** Our writes of these replicas are undone one after the other, each when it was made. */
function undone(wrote: readonly number[], period: number): readonly Contest[] {
  const contests: Contest[] = [];
  let atMs = nowMs;
  for (const replicas of wrote) {
    const known = { contest: contests.at(-1), lastScale: { replicas, atMs } };
    const read = { found: 3, writer: undefined, nowMs: atMs };
    const { contest } = scaleConflict(known, read, { periodMs: period });
    if (contest === undefined) break;
    contests.push(contest);
    atMs = contest.nextWriteMs;
  }
  return contests;
}

test.each([
  [15_000, [0, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000, 300_000]],
  [120_000, [0, 240_000, 300_000, 300_000, 300_000, 300_000, 300_000, 300_000]],
  [299_999, [0, 300_000, 300_000, 300_000, 300_000, 300_000, 300_000, 300_000]],
  // Such an object is rarely written anyway.
  [300_000, [0, 0, 0, 0, 0, 0, 0, 0]],
])("with a period of %i ms, writes that are undone wait longer each time", (period, waitsMs) => {
  const contests = undone([5, 7, 6, 5, 5, 5, 5, 5], period);
  expect(contests.map(({ lastMs, nextWriteMs }) => nextWriteMs - lastMs)).toEqual(waitsMs);
  expect(contests.map(({ highest }) => highest)).toEqual([5, 7, 7, 7, 7, 7, 7, 7]);
  const last = contests.at(-1);
  expect(last).toMatchObject({ by: "an unknown client", sinceMs: nowMs, count: 8 });
  // It has lasted when it was not undone for two periods, or a minute, after the next evaluation.
  expect((last?.quietMs ?? 0) - (last?.nextWriteMs ?? 0)).toBe(period + Math.max(2 * period, 60_000));
});

const contest: Contest = {
  by: "helm",
  sinceMs: nowMs,
  lastMs: nowMs,
  count: 4,
  highest: 6,
  nextWriteMs: nowMs + 200_000,
  quietMs: nowMs + 300_000,
};

test.each([
  [3, 7, 60_000],
  [3, 6, 200_000],
  [8, 7, 200_000],
  [7, 7, 200_000],
])("in a contest about 6, the step from %i to %i waits %i ms", (from, to, waitMs) => {
  expect(nextWriteMs(contest, { from, to })).toBe(nowMs + waitMs);
  const soon = { ...contest, nextWriteMs: nowMs + 1000 };
  expect(nextWriteMs(soon, { from, to })).toBe(nowMs + 1000);
});

test.each([
  [300_000, contest],
  [300_001, undefined],
])("a contest that is over is forgotten after five minutes: %i ms", (quietForMs, known) => {
  const atMs = contest.quietMs + quietForMs;
  expect(contestNow(contest, atMs)).toBeUndefined();
  const read = { found: 5, writer: undefined, nowMs: atMs };
  expect(scaleConflict({ contest, lastScale: undefined }, read, { periodMs })).toEqual({
    contest: known,
    overwritten: undefined,
    lastScale: undefined,
  });
});

test.each(["plimsoll-cronhpa", "plimsoll-schedules"])(
  "replicas that %s changes back do not count as a contest",
  (manager) => {
    const read = { found: 3, writer: { manager, at: undefined }, nowMs };
    expect(scaleConflict({ contest, lastScale: scaledAgo(1000) }, read, { periodMs })).toEqual({
      contest,
      overwritten: undefined,
      lastScale: undefined,
    });
  },
);
