import { decide } from "@plimsoll/core";
import { expect, test } from "vitest";
import { type NativeHpa, projectHpa } from "../../src/hpa/native-hpa.ts";
import { restoredMemory } from "../../src/hpa/restore.ts";
import { hpa } from "../harness.ts";

const nowMs = Date.parse("2030-01-01T00:10:00Z");

function stored(status: object, spec: object = {}): NativeHpa {
  const object = {
    ...hpa("shop", { spec }),
    status: { conditions: [{ type: "AbleToScale", status: "True" }], currentMetrics: null, ...status },
  };
  return projectHpa(object);
}

test("an object that nobody wrote a status for has no past", () => {
  expect(restoredMemory(projectHpa(hpa("shop")), 3, nowMs)).toBeUndefined();
});

test("a count that the status does not announce counts as a change of this moment", () => {
  const memory = restoredMemory(stored({ currentReplicas: 3, desiredReplicas: 3 }), 7, nowMs);
  expect(memory).toEqual({
    recommendations: [],
    scaleUpEvents: [{ change: 4, atMs: nowMs }],
    scaleDownEvents: [],
  });
});

test("the change that the status announces is taken with its time", () => {
  const lastScaleTime = "2030-01-01T00:09:50Z";
  const memory = restoredMemory(stored({ currentReplicas: 9, desiredReplicas: 6, lastScaleTime }), 6, nowMs);
  expect(memory?.scaleDownEvents).toEqual([{ change: 3, atMs: nowMs - 10_000 }]);
});

test("after a takeover nothing scales down sooner than the window, nor in larger steps than the policies", () => {
  const behavior = {
    scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] },
    scaleDown: { stabilizationWindowSeconds: 120 },
  };
  const object = stored({ currentReplicas: 4, desiredReplicas: 4 }, { behavior, maxReplicas: 20 });
  const at = (
    value: string,
    replicas: number,
    offsetMs: number,
    memory = restoredMemory(object, replicas, nowMs),
  ) =>
    decide(
      {
        nowMs: nowMs + offsetMs,
        hpa: object,
        scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=shop" },
        pods: {
          ok: true,
          pods: Array.from({ length: replicas }, (_, n) => ({
            metadata: { name: `p${n}`, namespace: "default" },
            status: { phase: "Running", startTime: "2029-01-01T00:00:00Z" },
          })),
        },
        samples: [{ pods: Array.from({ length: replicas }, (_, n) => ({ name: `p${n}`, value })) }],
      },
      memory,
    );
  // The former process died between its two writes, 4 → 6: its two pods a minute are used up.
  expect(at("90", 6, 0).decision.desiredReplicas).toBe(6);
  const low = at("1", 6, 0);
  expect(low.decision.desiredReplicas).toBe(6);
  expect(at("1", 6, 119_000, low.memory).decision.desiredReplicas).toBe(6);
  expect(at("1", 6, 121_000, low.memory).decision.desiredReplicas).toBeLessThan(6);
});
