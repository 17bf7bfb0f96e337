import { type DecideInput, type Decision, decide, type HpaMemory } from "@plimsoll/core";
import { expect, test } from "vitest";
import { type Held, heldEvent, heldText } from "../../../src/reconcile/evaluate/held.ts";

const startMs = Date.parse("2026-11-22T10:00:00Z");

/** Four replicas, whose metric asks for so many. */
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
    "4 replicas stay until 2026-11-22T10:04:00Z at the earliest: 3 are proposed, the recommendation of 4 at 2026-11-22T09:59:00Z holds within the stabilization window",
  ],
  [
    "the maximum",
    decided(20).decision,
    "the replicas go to 8 and stay there: 20 are proposed, maxReplicas is 8",
  ],
  [
    "a disabled direction",
    decided(6, { spec: { behavior: { scaleUp: { selectPolicy: "Disabled" } } } }).decision,
    "4 replicas stay: 6 are proposed, scaling up is disabled by spec.behavior",
  ],
  ["nothing", decided(6).decision, "nothing holds the replicas back"],
])("one sentence about %s", (_, decision, text) => {
  expect(heldText(decision)).toBe(text);
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
  expect(heldEvent(full, between.held, startMs + 700_000).events).toHaveLength(1);
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
