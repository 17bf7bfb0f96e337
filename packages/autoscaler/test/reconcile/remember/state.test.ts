import type { Clock } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import type { ScalingObject } from "../../../src/objects/scaling-object.ts";
import { recall } from "../../../src/reconcile/current-object.ts";
import { followClock } from "../../../src/reconcile/remember/clock-jump.ts";
import { createStates, skipUntil } from "../../../src/reconcile/remember/state.ts";

function stored(resourceVersion: string, uid = "u1"): ScalingObject {
  return {
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop", namespace: "default", uid, resourceVersion },
    spec: { scaleTargetRef: { kind: "Deployment", name: "shop" }, maxReplicas: 3 },
  };
}

/** A client that wrote once, at this time. */
const times = (atMs: number) => ({ by: "kubectl", sinceMs: atMs, lastMs: atMs, count: 1 });

test("a state belongs to one object and ends with it", () => {
  const states = createStates(() => true);
  const first = states.of("default/shop", stored("1"));
  expect(states.of("default/shop", stored("2"))).toBe(first);
  expect(states.of("default/shop", stored("3", "u2"))).not.toBe(first);
  states.drop("default/shop");
  expect(states.entries.size).toBe(0);
});

test("no state is kept of an object that is gone", () => {
  const states = createStates(() => false);
  const state = states.of("default/shop", stored("1"));
  expect(states.update(state, (now) => ({ ...now, isManaged: true }))).toBeUndefined();
  expect(states.entries.size).toBe(0);
});

test("what began before an object was lost ends nothing of what came after", () => {
  const states = createStates(() => true);
  const before = states.of("default/shop", stored("1"));
  states.reset(before.key);
  expect(states.update(before, (now) => ({ ...now, isManaged: true }))).toBeUndefined();
  const after = states.of("default/shop", stored("1"));
  expect(after).toMatchObject({ uid: "u1", isManaged: false, sinceMs: Number.POSITIVE_INFINITY });
  expect(states.update(after, (now) => ({ ...now, isManaged: true }))?.isManaged).toBe(true);
});

test("what is known of other writers outlasts the loss of an object", () => {
  const states = createStates(() => true);
  const yielded = { ...times(1), periodMs: 15_000, seen: undefined, reclaim: undefined };
  const contest = { ...times(3), highest: 5, nextWriteMs: 9, quietMs: 99 };
  states.update(states.of("default/shop", stored("1")), (now) => ({ ...now, yielded, contest }));
  for (const key of ["default/other", "default/third"]) states.of(key, stored("1"));
  states.reset("default/shop");
  expect(states.of("default/shop", stored("1"))).toMatchObject({
    yielded: { ...yielded, isUnwatched: true },
    contest,
  });
  expect(states.yielded).toBe(1);
  states.reset("default/gone");
  expect([...states.entries.keys()]).toEqual(["default/shop", "default/other", "default/third"]);
});

test("how long ago an object was decided outlasts its loss, and is unknown before", () => {
  const clock = manualClock(1000);
  const states = createStates(() => true, clock);
  const state = states.of("default/shop", stored("1"));
  expect(state).toMatchObject({ sinceMs: 1000, yielded: undefined, skipUntilMs: 0 });
  expect([states.decidedAgoMs("default/shop"), states.decidedAgoMs("default/other")]).toEqual([
    undefined,
    undefined,
  ]);
  states.update(state, (now) => ({ ...now, decidedAtMs: 400 }));
  expect(states.decidedAgoMs("default/shop")).toBe(600);
  states.reset("default/shop");
  expect(states.decidedAgoMs("default/shop")).toBe(600);
});

test("an object that is ours again knows nothing of the time before; until then nothing changes", () => {
  const clock = manualClock(1_800_000_000_000);
  const startMs = clock.nowMs();
  const yielded = { ...times(startMs), periodMs: 15_000, seen: undefined, reclaim: undefined };
  const state = {
    ...createStates(() => true).of("default/shop", stored("1")),
    clockOffsetMs: 0,
    isManaged: true,
    lastWritten: stored("1"),
    pendingStatus: { currentReplicas: 1 } as never,
    lastScale: { replicas: 3, atMs: startMs },
    contest: { ...times(3), highest: 5, nextWriteMs: 9, quietMs: 99 },
    yielded,
  };
  const at = (ms: number): Clock => ({ ...clock, steadyMs: () => startMs + ms, nowMs: () => startMs + ms });
  expect(recall(state, stored("1"), at(44_999))).toBe(state);
  expect(recall({ ...state, yielded: undefined }, stored("1"), at(45_000))).toMatchObject({
    isManaged: true,
    contest: state.contest,
  });
  expect(recall(state, stored("1"), at(45_000))).toEqual({
    ...state,
    pendingStatus: undefined,
    lastScale: undefined,
    contest: undefined,
    yielded: undefined,
    former: yielded,
  });
});

test("another controller that was silent while another process of ours had the object has ended", () => {
  const states = createStates(() => true);
  const clock = manualClock(1_800_000_000_000);
  const startMs = clock.nowMs();
  const yielded = { ...times(startMs), periodMs: 15_000, seen: undefined, reclaim: undefined };
  const before = stored("1");
  states.update(states.of("default/shop", before), (now) => ({ ...now, yielded }));
  states.reset("default/shop");
  const state = states.of("default/shop", before);
  const status = { currentReplicas: 5, desiredReplicas: 5 };
  const later = (ms: number): Clock => ({ ...clock, nowMs: () => startMs + ms });
  expect(recall(state, { ...before, status }, later(30_000)).yielded).toBeDefined();
  expect(recall(state, { ...before, status }, later(3_600_000)).yielded).toBeUndefined();
});

test("a clock that was set while another process had the object moves what is known of other writers", () => {
  let aheadMs = 3_600_000;
  const manual = manualClock(1_800_000_000_000);
  const clock = { ...manual, nowMs: () => manual.nowMs() + aheadMs, steadyMs: manual.nowMs };
  const states = createStates(() => true);
  const yielded = { ...times(clock.nowMs()), periodMs: 15_000, seen: undefined, reclaim: undefined };
  states.update(states.of("default/shop", stored("1")), (now) => followClock({ ...now, yielded }, clock));
  states.reset("default/shop");
  aheadMs = 0;
  const state = followClock(states.of("default/shop", stored("1")), clock);
  expect(state.yielded?.lastMs).toBe(clock.nowMs());
});

test("a Retry-After is honored up to ten minutes", () => {
  expect(skipUntil(1000, 5000)).toBe(6000);
  expect(skipUntil(1000, 86_400_000)).toBe(601_000);
});

test("a wall clock that is set moves every instant of a state along, and unknown history too", () => {
  let aheadMs = 0;
  const manual = manualClock(1_800_000_000_000);
  const clock = { ...manual, nowMs: () => manual.nowMs() + aheadMs, steadyMs: manual.nowMs };
  const nowMs = clock.nowMs();
  const history = { lastScaleMs: nowMs - 1000, untilMs: nowMs + 59_000 };
  const known = {
    ...createStates(() => true).of("default/shop", stored("1")),
    memory: { recommendations: [], scaleUpEvents: [], scaleDownEvents: [], unknownHistory: history },
    lastScale: { replicas: 3, atMs: nowMs - 2000 },
    contest: { ...times(nowMs), highest: 5, nextWriteMs: nowMs + 30_000, quietMs: nowMs + 105_000 },
    suspect: { lastMs: nowMs, seen: stored("2") },
    yielded: { ...times(nowMs), periodMs: 15_000, seen: undefined, reclaim: undefined },
  };
  const first = followClock(known, clock);
  expect(followClock(first, clock)).toBe(first);
  aheadMs = 3_600_000;
  expect(followClock(first, clock)).toMatchObject({
    memory: { unknownHistory: { lastScaleMs: nowMs - 1000 + aheadMs, untilMs: nowMs + 59_000 + aheadMs } },
    lastScale: { atMs: nowMs - 2000 + aheadMs },
    contest: { sinceMs: nowMs + aheadMs, nextWriteMs: nowMs + 30_000 + aheadMs },
    suspect: { lastMs: nowMs + aheadMs },
    yielded: { sinceMs: nowMs + aheadMs, lastMs: nowMs + aheadMs },
  });
});
