import {
  type DecideInput,
  type Decision,
  type DecisionSummary,
  decide,
  type HpaMemory,
  type TraceStep,
} from "@plimsoll/core";
import { expect, test } from "vitest";
import { type Held, heldEvent, heldText, isHeld } from "../../../src/reconcile/evaluate/held.ts";

const startMs = Date.parse("2026-11-22T10:00:00Z");

/** Four replicas, whose metric calls for this number. */
function decided(
  wanted: number,
  options: { readonly memory?: HpaMemory; readonly spec?: object; readonly nowMs?: number } = {},
): { readonly decision: Decision; readonly memory: HpaMemory } {
  const input: DecideInput = {
    nowMs: options.nowMs ?? startMs,
    hpa: {
      metadata: { name: "shop", namespace: "default" },
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "shop" },
        minReplicas: 2,
        maxReplicas: 8,
        metrics: [
          {
            type: "External",
            external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "1" } },
          },
        ],
        ...options.spec,
      },
    },
    scale: { ok: true, specReplicas: 4, statusReplicas: 4, selector: "app=shop" },
    pods: { ok: true, pods: [] },
    samples: [{ values: [{ value: String(wanted) }] }],
  };
  return decide(input, options.memory);
}

const held = (by: Held["by"]): Held => ({ by, eventsAtMs: {} });

test.each([
  [
    "a window",
    decided(3, {
      memory: {
        recommendations: [{ replicas: 4, atMs: startMs - 60_000 }],
        scaleUpEvents: [],
        scaleDownEvents: [],
      },
    }).decision,
    "staying at 4 replicas until at least 2026-11-22T10:04:00Z: metrics call for 3, but the recommendation of 4 at 2026-11-22T09:59:00Z is still in the stabilization window",
  ],
  [
    "the maximum",
    decided(20).decision,
    "scaling to 8 replicas only: metrics call for 20, but maxReplicas is 8",
  ],
  [
    "a disabled direction",
    decided(6, { spec: { behavior: { scaleUp: { selectPolicy: "Disabled" } } } }).decision,
    "staying at 4 replicas: metrics call for 6, but spec.behavior disables scaling up",
  ],
  ["nothing", decided(6).decision, "replicas are not held"],
])("one sentence about %s", (_, decision, text) => {
  expect(heldText(decision)).toBe(text);
});

const summary: DecisionSummary = {
  current: 4,
  desired: 4,
  proposed: 6,
  action: "hold",
  heldBy: "rate",
  decidedBy: 0,
  notBefore: null,
};
const disabled = { kind: "rate", direction: "down", selectPolicy: "Disabled" } as TraceStep;

test.each<[heldBy: DecisionSummary["heldBy"], why: string, trace?: readonly TraceStep[]]>([
  ["rate", "scaling policies allow no more for now"],
  ["rate", "spec.behavior disables scaling down", [{ kind: "result" } as never, disabled]],
  ["stabilize", "the recommendation is still in the stabilization window", [disabled]],
  ["cooldown", "the delay after the last scale is not over"],
  ["min", "minReplicas is 4"],
  ["max", "maxReplicas is 4"],
  ["schedule", "a schedule sets the limits"],
  ["blocked", "a metric failed, which blocks scaling down"],
  ["direction", "missing or unready pods could reverse the direction"],
])("replicas that %s holds: %s", (heldBy, why, trace = []) => {
  expect(heldText({ trace } as never, { ...summary, heldBy })).toBe(
    `staying at 4 replicas: metrics call for 6, but ${why}`,
  );
  expect(isHeld(heldBy)).toBe(true);
});

test.each(["failed", "disabled", "selector"] as const)(
  "replicas without a decision (%s) are not held",
  (heldBy) => {
    const text = heldText({ trace: [] } as never, { ...summary, proposed: null, heldBy });
    expect(text).toBe(`staying at 4 replicas: no decision by metrics (${heldBy})`);
    expect(isHeld(heldBy)).toBe(false);
  },
);

test("a load within the tolerance holds nothing", () => {
  expect(heldText({ trace: [] } as never, { ...summary, heldBy: "tolerance" })).toBe("replicas are not held");
  expect([isHeld("tolerance"), isHeld("none")]).toEqual([false, false]);
});

test("one replica stays, and one is proposed", () => {
  const one = { ...summary, desired: 1, proposed: 1, heldBy: "cooldown" } as const;
  expect(heldText({ trace: [] } as never, one)).toBe(
    "staying at 1 replica: metrics call for 1, but the delay after the last scale is not over",
  );
});

test("an event comes with the step, not with a new time, not for what was before, and not to and fro", () => {
  const full = decided(20).decision;
  const free = decided(5).decision;
  expect(heldEvent(full, undefined, startMs).events).toEqual([]);
  const first = heldEvent(full, held("none"), startMs);
  expect(first.events).toEqual([{ type: "Normal", reason: "ReplicasHeld", message: heldText(full) }]);
  expect(heldEvent(full, first.held, startMs + 15_000).events).toEqual([]);
  const between = heldEvent(free, first.held, startMs + 30_000);
  expect(between).toMatchObject({ events: [], held: { by: "none" } });
  expect(heldEvent(full, between.held, startMs + 45_000).events).toEqual([]);
  expect(heldEvent(full, between.held, startMs + 599_999).events).toEqual([]);
  expect(heldEvent(full, between.held, startMs + 600_000).events).toHaveLength(1);
  // The clock was set back: it is unknown how long ago the event was.
  expect(heldEvent(full, between.held, startMs - 1).events).toHaveLength(1);
  expect(heldEvent(full, between.held, startMs).events).toEqual([]);
});

test("steps that take turns do not fill the list of events", () => {
  const window = decided(3, {
    memory: {
      recommendations: [{ replicas: 4, atMs: startMs - 60_000 }],
      scaleUpEvents: [],
      scaleDownEvents: [],
    },
  }).decision;
  const limit = decided(20).decision;
  let last = held("none");
  const seen: string[] = [];
  for (let n = 0; n < 20; n++) {
    const next = heldEvent(n % 2 === 0 ? window : limit, last, startMs + n * 15_000);
    seen.push(...next.events.map(({ message }) => message));
    last = next.held;
  }
  expect(seen).toHaveLength(2);
});
