import { assertProperty } from "@plimsoll/properties";
import { array, constant, constantFrom, integer, property, record } from "fast-check";
import { expect, test } from "vitest";
import { applyPolicies } from "../src/decide/steps/index.ts";
import {
  type DecideInput,
  decide,
  explain,
  type HorizontalPodAutoscaler,
  type HpaMemory,
  recoverMemory,
  shiftMemory,
  withFailedRescale,
} from "../src/index.ts";
import { externalAverage, nowMs as fixtureMs, hpaOf } from "./fixtures.ts";

const nowMs = fixtureMs + 600_000;

function stored(
  status: object,
  spec: Partial<HorizontalPodAutoscaler["spec"]> = {},
): HorizontalPodAutoscaler {
  return {
    ...hpaOf({ metrics: [externalAverage("1")], ...spec }),
    status: { conditions: [{ type: "AbleToScale", status: "True" }], currentMetrics: null, ...status },
  };
}

/** `value` replicas are wanted. */
function inputOf(hpa: HorizontalPodAutoscaler, replicas: number, value: string): DecideInput {
  return {
    nowMs,
    hpa,
    scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=web" },
    pods: { ok: true, pods: [] },
    samples: [{ values: [{ value }] }],
  };
}

const unwritten = { writtenAtMs: undefined, nowMs };
const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] } };

test("an object without a status has no past", () => {
  expect(recoverMemory({ hpa: hpaOf({}), replicas: 3, ...unwritten })).toBeUndefined();
});

test("replicas that the status does not announce count as a change of this moment", () => {
  const hpa = stored({ currentReplicas: 3, desiredReplicas: 3 });
  expect(recoverMemory({ hpa, replicas: 7, ...unwritten })).toStrictEqual({
    recommendations: [],
    scaleUpEvents: [{ change: 4, atMs: nowMs }],
    scaleDownEvents: [],
  });
});

test("the change that the status announces is taken with its time", () => {
  const lastScaleTime = "2026-01-01T12:09:50Z";
  const hpa = stored({ currentReplicas: 9, desiredReplicas: 6, lastScaleTime });
  const memory = recoverMemory({ hpa, replicas: 6, ...unwritten });
  expect(memory?.scaleDownEvents).toEqual([{ change: 3, atMs: nowMs - 10_000 }]);
});

test("a change within a policy's period leaves the history unknown until the period is over", () => {
  const status = { currentReplicas: 6, desiredReplicas: 6, lastScaleTime: "2026-01-01T12:09:30Z" };
  const at = (atMs: number, spec: object = { behavior }) =>
    recoverMemory({ hpa: stored(status, spec), replicas: 6, writtenAtMs: undefined, nowMs: atMs });
  const history = { lastScaleMs: nowMs - 29_000, untilMs: nowMs + 31_000 };
  expect(at(nowMs)?.unknownHistory).toEqual(history);
  expect(at(nowMs + 31_001)?.unknownHistory).toBeUndefined();
  expect(at(nowMs, {})?.unknownHistory).toBeUndefined();
  const decideAt = (atMs: number) =>
    decide({ ...inputOf(stored(status, { behavior }), 6, "6"), nowMs: atMs }, at(nowMs)).memory;
  expect(decideAt(nowMs + 31_000).unknownHistory).toEqual(history);
  expect(decideAt(nowMs + 31_001)).not.toHaveProperty("unknownHistory");
});

test("a write of the replicas that no status records is a change too, and the status gets its time", () => {
  const hpa = stored({ currentReplicas: 5, desiredReplicas: 5 }, { behavior });
  const recovered = recoverMemory({ hpa, replicas: 5, writtenAtMs: nowMs - 20_000, nowMs });
  expect(recovered?.unknownHistory).toMatchObject({ lastScaleMs: nowMs - 19_000 });
  const { decision, memory } = decide(inputOf(hpa, 5, "90"), recovered);
  expect(decision.scaleTo).toBeUndefined();
  expect(decision.status.lastScaleTime).toBe("2026-01-01T12:09:41Z");
  expect(decision.status.conditions).toContainEqual(expect.objectContaining({ reason: "ScaleUpLimit" }));
  expect(memory.scaleUpEvents).toEqual([]);
});

test("a status that has the time of the write, a second apart, keeps it", () => {
  const lastScaleTime = "2026-01-01T12:09:40Z";
  const hpa = stored({ currentReplicas: 5, desiredReplicas: 5, lastScaleTime }, { behavior });
  const recovered = recoverMemory({ hpa, replicas: 5, writtenAtMs: nowMs - 20_000, nowMs });
  expect(recovered?.unknownHistory).toMatchObject({ lastScaleMs: nowMs - 19_000 });
  expect(decide(inputOf(hpa, 5, "5"), recovered).decision.status.lastScaleTime).toBe(lastScaleTime);
});

test("the trace says what is unknown, and makes up no event", () => {
  const hpa = stored({ currentReplicas: 5, desiredReplicas: 5 }, { behavior });
  const recovered = recoverMemory({ hpa, replicas: 5, writtenAtMs: nowMs - 20_000, nowMs });
  const { decision } = decide(inputOf(hpa, 5, "90"), recovered);
  expect(decision.trace).toContainEqual({
    kind: "unknown-history",
    lastScaleAtMs: nowMs - 19_000,
    untilMs: nowMs + 41_000,
  });
  expect(decision.trace.find(({ kind }) => kind === "rate")).toMatchObject({
    policies: [{ added: 0, removed: 0, unknown: 2, events: [], start: 3, limit: 5 }],
    limit: 5,
  });
  expect(explain(decision)).toContain(
    "5 now − 0 added + 0 removed − 2 possibly added by an earlier process = 3 at its start",
  );
  const down = decide(inputOf({ ...hpa, spec: { ...hpa.spec, behavior: halved } }, 6, "1"), recovered);
  expect(explain(down.decision)).toContain(
    "6 now − 0 added + 0 removed + 6 possibly removed by an earlier process = 12 at its start",
  );
});

const halved = {
  scaleDown: {
    stabilizationWindowSeconds: 0,
    policies: [{ type: "Percent", value: 50, periodSeconds: 30 }],
  },
};

const twoPolicies = {
  policies: [
    { type: "Pods", value: 2, periodSeconds: 60 },
    { type: "Pods", value: 1, periodSeconds: 20 },
  ],
};

test("each policy waits for its own period, in either direction, and no longer", () => {
  const status = { currentReplicas: 6, desiredReplicas: 6, lastScaleTime: "2026-01-01T12:09:50Z" };
  const hpa = stored(status, { behavior: { ...halved, scaleUp: twoPolicies }, maxReplicas: 20 });
  const want = (value: string, laterMs: number) => {
    const atMs = nowMs + laterMs;
    const memory = recoverMemory({ hpa, replicas: 6, writtenAtMs: undefined, nowMs: atMs });
    return decide({ ...inputOf(hpa, 6, value), nowMs: atMs }, memory).decision.scaleTo;
  };
  expect([want("90", 0), want("1", 0)]).toEqual([undefined, undefined]);
  expect([want("90", 12_000), want("1", 12_000)]).toEqual([7, undefined]);
  expect([want("90", 22_000), want("1", 22_000)]).toEqual([7, 3]);
  expect([want("90", 52_000), want("1", 52_000)]).toEqual([8, 3]);
});

test("by the default policies a scale-down is limited by nothing but the window", () => {
  const scaleDown = { stabilizationWindowSeconds: 0 };
  const status = { currentReplicas: 6, desiredReplicas: 6, lastScaleTime: "2026-01-01T12:09:59Z" };
  const hpa = stored(status, { behavior: { scaleDown } });
  const memory = recoverMemory({ hpa, replicas: 6, ...unwritten });
  expect(memory?.unknownHistory).toBeDefined();
  expect(decide(inputOf(hpa, 6, "1"), memory).decision.scaleTo).toBe(1);
});

test("a failed write leaves the unknown as it was", () => {
  const status = { currentReplicas: 6, desiredReplicas: 6, lastScaleTime: "2026-01-01T12:09:59Z" };
  const hpa = stored(status, { behavior: halved });
  const atMs = nowMs + 20_000;
  const memory = recoverMemory({ hpa, replicas: 6, ...unwritten });
  const result = decide({ ...inputOf(hpa, 6, "9"), nowMs: atMs }, memory);
  expect(result.decision.scaleTo).toBe(9);
  const undone = withFailedRescale(result, "no").memory;
  expect(undone).toMatchObject({ scaleUpEvents: [], unknownHistory: memory?.unknownHistory });
});

test("a clock that is set moves what is remembered along", () => {
  const status = { currentReplicas: 4, desiredReplicas: 6, lastScaleTime: "2026-01-01T12:09:59Z" };
  const hpa = stored(status, { behavior: { scaleUp: twoPolicies } });
  const recovered = recoverMemory({ hpa, replicas: 6, ...unwritten });
  const hourMs = 3_600_000;
  const decideInput = { ...inputOf(hpa, 6, "90"), mode: "Shadow" as const, nowMs: nowMs + 22_000 };
  const { memory } = decide(decideInput, recovered);
  expect(memory).toMatchObject({ unknownHistory: {}, unconfirmedScale: { replicas: 7 } });
  const moved = shiftMemory(
    { ...memory, lastGoodSamples: { x: { samples: { values: [] }, atMs: 5 } } },
    hourMs,
  );
  const back = shiftMemory(moved, -hourMs);
  expect(back).toEqual({ ...memory, lastGoodSamples: { x: { samples: { values: [] }, atMs: 5 } } });
  const later = (atMs: number, known: HpaMemory) =>
    decide({ ...inputOf(hpa, 7, "90"), nowMs: atMs }, known).decision.scaleTo;
  expect(later(nowMs + 43_000, memory)).toBe(8);
  expect(later(nowMs + 43_000 + hourMs, moved)).toBe(8);
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
  assertProperty(
    property(
      record({ scaleUp: rules, scaleDown: rules }),
      integer({ min: 1, max: 60 }),
      array(integer({ min: 0, max: 400 }), { minLength: 6, maxLength: 12 }),
      (random, initial, wants) => {
        // One process decides the first half of the time, another the second; what is written is on record.
        const scaled: { change: number; atMs: number; isUp: boolean }[] = [];
        const events = (isUp: boolean) => scaled.filter((event) => event.isUp === isUp);
        let replicas = initial;
        let memory: HpaMemory | undefined;
        let status: object = { currentReplicas: initial, desiredReplicas: initial };
        wants.forEach((want, turn) => {
          const atMs = nowMs + turn * 7000;
          const hpa = stored(status, { behavior: random, maxReplicas: 400 });
          if (turn === Math.ceil(wants.length / 2)) {
            memory = recoverMemory({ hpa, replicas, writtenAtMs: undefined, nowMs: atMs });
          }
          const result = decide({ ...inputOf(hpa, replicas, `${want}`), nowMs: atMs }, memory);
          memory = result.memory;
          status = result.decision.status;
          const { scaleTo } = result.decision;
          if (scaleTo === undefined) return;
          const allowed = applyPolicies({
            nowMs: atMs,
            currentReplicas: replicas,
            desiredReplicas: scaleTo,
            minReplicas: 1,
            maxReplicas: 400,
            behavior: random,
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

test("after a takeover nothing scales down sooner than the window, nor in larger steps than the policies", () => {
  const hpa = stored(
    { currentReplicas: 4, desiredReplicas: 4 },
    { behavior: { ...behavior, scaleDown: { stabilizationWindowSeconds: 120 } }, maxReplicas: 20 },
  );
  const recovered = recoverMemory({ hpa, replicas: 6, ...unwritten });
  const at = (value: string, offsetMs: number, memory = recovered) =>
    decide({ ...inputOf(hpa, 6, value), nowMs: nowMs + offsetMs }, memory);
  // The former process ended between its two writes, 4 → 6: its two pods a minute are used up.
  expect(at("90", 0).decision.desiredReplicas).toBe(6);
  const low = at("1", 0);
  expect(low.decision.desiredReplicas).toBe(6);
  expect(at("1", 119_000, low.memory).decision.desiredReplicas).toBe(6);
  expect(at("1", 121_000, low.memory).decision.desiredReplicas).toBeLessThan(6);
});
