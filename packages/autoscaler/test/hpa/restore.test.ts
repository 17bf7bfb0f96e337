import { applyPolicies, type DecideInput, type DecideResult, decide, type HpaMemory } from "@plimsoll/core";
import { array, assert, constant, constantFrom, integer, property, record } from "fast-check";
import { expect, test } from "vitest";
import { decideInGap, type Gap, isOpen, withLastScale } from "../../src/hpa/gap.ts";
import { type NativeHpa, projectHpa } from "../../src/hpa/native-hpa.ts";
import { restoredPast } from "../../src/hpa/restore.ts";
import { hpa } from "../harness.ts";

const nowMs = Date.parse("2030-01-01T00:10:00Z");

function stored(status: object, spec: object = {}): NativeHpa {
  const object = {
    ...hpa("shop", { spec }),
    status: { conditions: [{ type: "AbleToScale", status: "True" }], currentMetrics: null, ...status },
  };
  return projectHpa(object);
}

const unwritten = { writtenAtMs: undefined, nowMs };
const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] } };

test("an object that nobody wrote a status for has no past", () => {
  expect(restoredPast(projectHpa(hpa("shop")), { ...unwritten, replicas: 3 })).toEqual({});
});

test("a count that the status does not announce counts as a change of this moment", () => {
  const object = stored({ currentReplicas: 3, desiredReplicas: 3 });
  expect(restoredPast(object, { ...unwritten, replicas: 7 }).memory).toEqual({
    recommendations: [],
    scaleUpEvents: [{ change: 4, atMs: nowMs }],
    scaleDownEvents: [],
  });
});

test("the change that the status announces is taken with its time", () => {
  const lastScaleTime = "2030-01-01T00:09:50Z";
  const object = stored({ currentReplicas: 9, desiredReplicas: 6, lastScaleTime });
  const { memory } = restoredPast(object, { ...unwritten, replicas: 6 });
  expect(memory?.scaleDownEvents).toEqual([{ change: 3, atMs: nowMs - 10_000 }]);
});

test("a change within a policy's period leaves a gap until the period is over; without policies there is none", () => {
  const status = { currentReplicas: 6, desiredReplicas: 6, lastScaleTime: "2030-01-01T00:09:30Z" };
  const at = (o: { nowMs: number; spec?: object }) =>
    restoredPast(stored(status, o.spec ?? { behavior }), { ...unwritten, ...o, replicas: 6 }).gap;
  expect(at({ nowMs })).toEqual({ lastScaleMs: nowMs - 29_000, untilMs: nowMs + 31_000 });
  expect(at({ nowMs: nowMs + 31_001 })).toBeUndefined();
  expect(at({ nowMs, spec: {} })).toBeUndefined();
});

test("a write of the count that no status tells of is a change too, and the status gets its time", () => {
  const object = stored({ currentReplicas: 5, desiredReplicas: 5 }, { behavior });
  const { gap } = restoredPast(object, { replicas: 5, writtenAtMs: nowMs - 20_000, nowMs });
  expect(gap).toMatchObject({ lastScaleMs: nowMs - 19_000 });
  const { decision, memory } = decideWith(gap, inputOf(object, { replicas: 5, value: "90" }));
  expect(decision.scaleTo).toBeUndefined();
  expect(decision.status.lastScaleTime).toBe("2030-01-01T00:09:41Z");
  expect(decision.status.conditions).toContainEqual(expect.objectContaining({ reason: "ScaleUpLimit" }));
  expect(memory.scaleUpEvents).toEqual([]);
});

test("in a gap each policy waits for its own period, in either direction, and no longer", () => {
  const object = stored(
    { currentReplicas: 6, desiredReplicas: 6, lastScaleTime: "2030-01-01T00:09:50Z" },
    {
      behavior: {
        scaleUp: {
          policies: [
            { type: "Pods", value: 2, periodSeconds: 60 },
            { type: "Pods", value: 1, periodSeconds: 20 },
          ],
        },
        scaleDown: {
          stabilizationWindowSeconds: 0,
          policies: [{ type: "Percent", value: 50, periodSeconds: 30 }],
        },
      },
      maxReplicas: 20,
    },
  );
  const want = (value: string, laterMs: number) => {
    const atMs = nowMs + laterMs;
    const { gap, memory } = restoredPast(object, { ...unwritten, replicas: 6, nowMs: atMs });
    return decideWith(gap, { ...inputOf(object, { replicas: 6, value }), nowMs: atMs }, memory).decision
      .scaleTo;
  };
  expect([want("90", 0), want("1", 0)]).toEqual([undefined, undefined]);
  expect([want("90", 12_000), want("1", 12_000)]).toEqual([7, undefined]);
  expect([want("90", 22_000), want("1", 22_000)]).toEqual([7, 3]);
  expect([want("90", 52_000), want("1", 52_000)]).toEqual([8, 3]);
});

test("by the default policies a scale-down is limited by nothing but the window, in a gap too", () => {
  const scaleDown = { stabilizationWindowSeconds: 0 };
  const status = { currentReplicas: 6, desiredReplicas: 6, lastScaleTime: "2030-01-01T00:09:59Z" };
  const object = stored(status, { behavior: { scaleDown } });
  const { gap } = restoredPast(object, { ...unwritten, replicas: 6 });
  expect(gap).toBeDefined();
  expect(decideWith(gap, inputOf(object, { replicas: 6, value: "1" })).decision.scaleTo).toBe(1);
});

test("whatever a former process did within its policies, its successor keeps them", () => {
  const policy = record({
    type: constantFrom("Pods", "Percent"),
    value: integer({ min: 1, max: 150 }),
    periodSeconds: integer({ min: 1, max: 120 }),
  });
  const rules = record({
    policies: array(policy, { minLength: 1, maxLength: 3 }),
    selectPolicy: constantFrom("Max", "Min"),
    stabilizationWindowSeconds: constant(0),
  });
  assert(
    property(
      record({ scaleUp: rules, scaleDown: rules }),
      integer({ min: 1, max: 60 }),
      array(integer({ min: 0, max: 400 }), { minLength: 6, maxLength: 12 }),
      (behavior, initial, wants) => {
        // One process decides the first half of the time, another the second; what is written is on record.
        const scaled: { change: number; atMs: number; isUp: boolean }[] = [];
        let replicas = initial;
        let memory: HpaMemory | undefined;
        let status: object = { currentReplicas: initial, desiredReplicas: initial };
        wants.forEach((want, turn) => {
          const atMs = nowMs + turn * 7000;
          const object = stored(status, { behavior, maxReplicas: 400, metrics: [queue] });
          const isHandedOver = turn >= wants.length / 2;
          const past = restoredPast(object, { replicas, writtenAtMs: undefined, nowMs: atMs });
          const isFirst = turn === Math.ceil(wants.length / 2);
          if (isFirst) [memory, gap] = [past.memory, past.gap];
          const open = isHandedOver && gap !== undefined && isOpen(gap, atMs) ? gap : undefined;
          const input = {
            ...inputOf(object, { replicas, value: "" }),
            samples: [{ values: [{ value: `${want}` }] }],
          };
          const result = decideWith(open, { ...input, nowMs: atMs }, memory);
          memory = result.memory;
          const { scaleTo } = result.decision;
          status = result.decision.status;
          if (scaleTo === undefined) return;
          const events = (isUp: boolean) => scaled.filter((event) => event.isUp === isUp);
          const allowed = applyPolicies({
            nowMs: atMs,
            currentReplicas: replicas,
            desiredReplicas: scaleTo,
            minReplicas: 1,
            maxReplicas: 400,
            behavior,
            scaleUpEvents: events(true),
            scaleDownEvents: events(false),
          });
          expect(allowed.replicas).toBe(scaleTo);
          scaled.push({ change: Math.abs(scaleTo - replicas), atMs, isUp: scaleTo > replicas });
          replicas = scaleTo;
        });
      },
    ),
  );
});

const queue = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "1" } },
};
let gap: Gap | undefined;

function decideWith(open: Gap | undefined, input: DecideInput, memory?: HpaMemory): DecideResult {
  return open === undefined
    ? decide(input, memory)
    : decideInGap(decide, open)(withLastScale(input, open), memory);
}

function inputOf(object: NativeHpa, o: { readonly replicas: number; readonly value: string }): DecideInput {
  const { replicas, value } = o;
  const names = Array.from({ length: replicas }, (_, n) => `p${n}`);
  return {
    nowMs,
    hpa: object,
    scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=shop" },
    pods: {
      ok: true,
      pods: names.map((name) => ({
        metadata: { name, namespace: "default" },
        status: { phase: "Running", startTime: "2029-01-01T00:00:00Z" },
      })),
    },
    samples: [{ pods: names.map((name) => ({ name, value })) }],
  };
}

test("after a takeover nothing scales down sooner than the window, nor in larger steps than the policies", () => {
  const object = stored(
    { currentReplicas: 4, desiredReplicas: 4 },
    { behavior: { ...behavior, scaleDown: { stabilizationWindowSeconds: 120 } }, maxReplicas: 20 },
  );
  const { memory: restored } = restoredPast(object, { ...unwritten, replicas: 6 });
  const at = (value: string, offsetMs: number, memory = restored) =>
    decide({ ...inputOf(object, { replicas: 6, value }), nowMs: nowMs + offsetMs }, memory);
  // The former process died between its two writes, 4 → 6: its two pods a minute are used up.
  expect(at("90", 0).decision.desiredReplicas).toBe(6);
  const low = at("1", 0);
  expect(low.decision.desiredReplicas).toBe(6);
  expect(at("1", 119_000, low.memory).decision.desiredReplicas).toBe(6);
  expect(at("1", 121_000, low.memory).decision.desiredReplicas).toBeLessThan(6);
});
