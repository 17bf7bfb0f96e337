import { describe, expect, test } from "vitest";
import { type ControllerOptions, decide, explain, type HpaMemory, type HpaStatus } from "../src/index.ts";
import { externalInput, hpaOf, nowMs } from "./fixtures.ts";

const settled: HpaMemory = {
  recommendations: [{ replicas: 1, atMs: nowMs - 900_000 }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};

interface Row {
  readonly total: string;
  /** Of the last scale; undefined: there was none. */
  readonly ageMs: number | undefined;
  readonly upMs: number;
  readonly downMs: number;
  readonly replicas?: number;
  readonly desired: number;
  readonly reason?: string;
}

// Two replicas, one for each 10 of the total.
const rows: readonly Row[] = [
  { total: "40", ageMs: undefined, upMs: 180_000, downMs: 300_000, desired: 4 },
  { total: "40", ageMs: 0, upMs: 0, downMs: 300_000, desired: 4 },
  { total: "40", ageMs: 0, upMs: 1, downMs: 0, desired: 2, reason: "BackoffUpscale" },
  { total: "40", ageMs: 179_999, upMs: 180_000, downMs: 0, desired: 2, reason: "BackoffUpscale" },
  { total: "40", ageMs: 180_000, upMs: 180_000, downMs: 0, desired: 2, reason: "BackoffUpscale" },
  { total: "40", ageMs: 180_001, upMs: 180_000, downMs: 300_000, desired: 4 },
  { total: "40", ageMs: 60_000, upMs: 180_000, downMs: 300_000, desired: 2, reason: "BackoffBoth" },
  { total: "10", ageMs: 60_000, upMs: 180_000, downMs: 300_000, desired: 2, reason: "BackoffBoth" },
  { total: "10", ageMs: 200_000, upMs: 180_000, downMs: 300_000, desired: 2, reason: "BackoffDownscale" },
  { total: "10", ageMs: 300_000, upMs: 180_000, downMs: 300_000, desired: 2, reason: "BackoffDownscale" },
  { total: "10", ageMs: 300_001, upMs: 180_000, downMs: 300_000, desired: 1 },
  { total: "10", ageMs: 0, upMs: 180_000, downMs: 0, desired: 1 },
  // No change, nothing to hold.
  { total: "20", ageMs: 0, upMs: 180_000, downMs: 300_000, desired: 2 },
  // Outside its bounds a target is brought back at once.
  { total: "20", ageMs: 0, upMs: 180_000, downMs: 300_000, replicas: 20, desired: 10 },
];

const lastScaled = (ageMs: number): HpaStatus => ({
  lastScaleTime: new Date(nowMs - ageMs).toISOString(),
  currentReplicas: 2,
  desiredReplicas: 2,
  currentMetrics: null,
  conditions: [],
});

describe.each(["1.37", "1.35", "1.32"] as const)("as in %s", (semantics) => {
  test.each(rows)("total $total, $ageMs ms after a scale, up $upMs, down $downMs: $desired", (row) => {
    const { total, ageMs, upMs, downMs, replicas = 2, desired, reason } = row;
    const options: Partial<ControllerOptions> = {
      semantics,
      upscaleForbiddenWindowMs: upMs,
      downscaleForbiddenWindowMs: downMs,
    };
    const hpa = { ...hpaOf({}), ...(ageMs === undefined ? {} : { status: lastScaled(ageMs) }) };
    const { decision } = decide({ ...externalInput(total, replicas), hpa, options }, settled);
    expect(decision.desiredReplicas).toBe(desired);
    expect(decision.scaleTo).toBe(desired === replicas ? undefined : desired);
    const held = decision.trace.filter(({ kind }) => kind === "cooldown");
    expect(held).toEqual(
      reason === undefined
        ? []
        : [
            {
              kind: "cooldown",
              reason,
              lastScaleAtMs: nowMs - (ageMs ?? 0),
              windowMs: Number(total) > 20 ? upMs : downMs,
            },
          ],
    );
    const able = decision.status.conditions.find(({ type }) => type === "AbleToScale");
    expect(able?.status).toBe(reason === undefined ? "True" : "False");
    expect(able?.reason.startsWith("Backoff") === true ? able.reason : undefined).toBe(reason);
  });
});

test("the explanation names the last scale and the time that is left to wait for", () => {
  const hpa = { ...hpaOf({}), status: lastScaled(60_000) };
  const options = { upscaleForbiddenWindowMs: 180_000 };
  expect(explain(decide({ ...externalInput("40", 2), hpa, options }, settled).decision)).toContain(
    "The last scale was at 2026-01-01T11:59:00Z, less than 180 s ago: no change (BackoffUpscale)",
  );
});

test.each([
  { upMs: 0, downMs: 0, changes: 59 },
  { upMs: 180_000, downMs: 0, changes: 10 },
  { upMs: 180_000, downMs: 300_000, changes: 4 },
])("a load that turns every period, up $upMs and down $downMs: $changes changes, none too early", (row) => {
  const { upMs, downMs, changes } = row;
  const options = { upscaleForbiddenWindowMs: upMs, downscaleForbiddenWindowMs: downMs };
  const behavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
  let replicas = 2;
  let status: HpaStatus | undefined;
  let memory: HpaMemory | undefined;
  const made: { readonly atMs: number; readonly isUp: boolean }[] = [];
  for (let turn = 0; turn < 60; turn++) {
    const atMs = nowMs + turn * 15_000;
    const hpa = { ...hpaOf({ behavior }), ...(status === undefined ? {} : { status }) };
    const total = turn % 2 === 0 ? "20" : "40";
    const result = decide({ ...externalInput(total, replicas), nowMs: atMs, hpa, options }, memory);
    const { scaleTo } = result.decision;
    if (scaleTo !== undefined) {
      made.push({ atMs, isUp: scaleTo > replicas });
      replicas = scaleTo;
    }
    ({ memory } = result);
    ({ status } = result.decision);
  }
  expect(made).toHaveLength(changes);
  const early = made.filter(({ atMs, isUp }, index) => {
    const before = made[index - 1];
    return before !== undefined && atMs - before.atMs <= (isUp ? upMs : downMs);
  });
  expect(early).toEqual([]);
});
