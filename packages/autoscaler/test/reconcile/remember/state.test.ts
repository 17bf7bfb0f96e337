import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import type { ScalingObject } from "../../../src/objects/scaling-object.ts";
import { followClock } from "../../../src/reconcile/remember/clock-jump.ts";
import { createStates, skipUntil } from "../../../src/reconcile/remember/state.ts";

function stored(resourceVersion: string, uid = "u1"): ScalingObject {
  return {
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop", namespace: "default", uid, resourceVersion },
    spec: { scaleTargetRef: { kind: "Deployment", name: "shop" }, maxReplicas: 3 },
  };
}

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
  expect(after).toMatchObject({ uid: "u1", isManaged: false });
  expect(states.update(after, (now) => ({ ...now, isManaged: true }))?.isManaged).toBe(true);
});

test("that an object was returned to shadow outlasts its loss", () => {
  const states = createStates(() => true);
  const yielded = { what: "scale", by: "kubectl", reclaim: undefined } as const;
  states.update(states.of("default/shop", stored("1")), (now) => ({ ...now, yielded, disputes: [7] }));
  states.reset("default/shop");
  expect(states.of("default/shop", stored("1"))).toMatchObject({ yielded, disputes: [7] });
  expect(states.yielded).toBe(1);
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
    disputes: [nowMs - 3000],
  };
  const first = followClock(known, clock);
  expect(followClock(first, clock)).toBe(first);
  aheadMs = 3_600_000;
  expect(followClock(first, clock)).toMatchObject({
    memory: { unknownHistory: { lastScaleMs: nowMs - 1000 + aheadMs, untilMs: nowMs + 59_000 + aheadMs } },
    lastScale: { atMs: nowMs - 2000 + aheadMs },
    disputes: [nowMs - 3000 + aheadMs],
  });
});
