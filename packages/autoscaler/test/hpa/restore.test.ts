import { type DecideInput, decide } from "@plimsoll/core";
import { expect, test } from "vitest";
import { type NativeHpa, projectHpa } from "../../src/hpa/native-hpa.ts";
import { type Gap, restoredPast, withGap } from "../../src/hpa/restore.ts";
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
  expect(at({ nowMs })).toEqual({ lastScaleMs: nowMs - 30_000, upMs: 61_000, downMs: 16_000 });
  expect(at({ nowMs: nowMs + 31_001 })).toBeUndefined();
  expect(at({ nowMs, spec: {} })).toBeUndefined();
});

test("a write of the count that no status tells of is a change too, and the status gets its time", () => {
  const object = stored({ currentReplicas: 5, desiredReplicas: 5 }, { behavior });
  const { gap } = restoredPast(object, { replicas: 5, writtenAtMs: nowMs - 20_000, nowMs });
  expect(gap).toMatchObject({ lastScaleMs: nowMs - 19_000 });
  const { decision } = decide(inputOf(object, { replicas: 5, value: "90", gap }));
  expect(decision.scaleTo).toBeUndefined();
  expect(decision.status.lastScaleTime).toBe("2030-01-01T00:09:41Z");
  expect(decision.trace).toContainEqual(expect.objectContaining({ kind: "cooldown" }));
});

test("in a gap neither direction moves, and after it both do", () => {
  const down = { stabilizationWindowSeconds: 0 };
  const status = { currentReplicas: 6, desiredReplicas: 6, lastScaleTime: "2030-01-01T00:09:50Z" };
  const object = stored(status, { behavior: { ...behavior, scaleDown: down }, maxReplicas: 20 });
  const want = (value: string, laterMs: number) => {
    const atMs = nowMs + laterMs;
    const { gap, memory } = restoredPast(object, { ...unwritten, replicas: 6, nowMs: atMs });
    return decide({ ...inputOf(object, { replicas: 6, value, gap }), nowMs: atMs }, memory).decision.scaleTo;
  };
  expect([want("90", 0), want("1", 0)]).toEqual([undefined, undefined]);
  expect([want("90", 7000), want("1", 7000)]).toEqual([undefined, 1]);
  expect([want("90", 52_000), want("1", 52_000)]).toEqual([8, 1]);
});

function inputOf(
  object: NativeHpa,
  o: { readonly replicas: number; readonly value: string; readonly gap?: Gap | undefined },
): DecideInput {
  const { replicas, value, gap } = o;
  const names = Array.from({ length: replicas }, (_, n) => `p${n}`);
  const input: DecideInput = {
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
  return gap === undefined ? input : withGap(input, gap);
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
