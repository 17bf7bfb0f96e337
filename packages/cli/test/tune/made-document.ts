// A document of a search, with figures that were made up.
import type { PeriodFigures } from "@plimsoll/backtest";
import type { TuneCandidate, TuneDocument, TuneResult } from "../../src/commands/tune/document.ts";

const today: TuneCandidate = {
  id: 0,
  what: "as it is today",
  changes: [],
  parameters: { target: 60, minReplicas: 2, scaleDownWindow: 300 },
};
const target70: TuneCandidate = {
  id: 12,
  what: "target 60 → 70, floor 12 on MON–FRI 07:30–18:00",
  changes: [
    { parameter: "target", from: 60, to: 70 },
    { parameter: "floor", from: "none", to: 0.9 },
  ],
  parameters: { target: 70, minReplicas: 2, scaleDownWindow: 300, floor: 0.9 },
};
const window180: TuneCandidate = {
  id: 31,
  what: "scale-down window 300 → 180 s",
  changes: [{ parameter: "scaleDownWindow", from: 300, to: 180 }],
  parameters: { target: 60, minReplicas: 2, scaleDownWindow: 180 },
};
const target75: TuneCandidate = {
  id: 40,
  what: "target 60 → 75",
  changes: [{ parameter: "target", from: 60, to: 75 }],
  parameters: { target: 75, minReplicas: 2, scaleDownWindow: 300 },
};
const min1: TuneCandidate = {
  id: 44,
  what: "minReplicas 2 → 1",
  changes: [{ parameter: "minReplicas", from: 2, to: 1 }],
  parameters: { target: 60, minReplicas: 1, scaleDownWindow: 300 },
};

function figures(podHours: number, shortMinutes: number, of: Partial<PeriodFigures> = {}): PeriodFigures {
  return {
    days: 6,
    podHours,
    shortPodSeconds: 60 * shortMinutes,
    hotSeconds: 20,
    events: 58,
    reversals: 6,
    peak: 58,
    saved: 1 - podHours / 364,
    interval: { low: 0, high: 0 },
    brokenDays: 0,
    ...of,
  };
}

const dates = (from: number, count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `2026-11-${String(from + n).padStart(2, "0")}`);

const hpaPatch = (patch: Readonly<Record<string, unknown>>) =>
  ({
    kind: "merge-patch",
    apiVersion: "autoscaling/v2",
    object: "HorizontalPodAutoscaler",
    namespace: "default",
    name: "shop",
    patch,
  }) as const;

export const madeResult: TuneResult = {
  split: {
    timeZone: "Europe/Berlin",
    whole: 28,
    training: dates(1, 17),
    validation: dates(18, 6),
    test: dates(24, 5),
    leftOut: [],
    isThin: false,
  },
  tried: 256,
  simulatedDays: 1432,
  isComplete: true,
  objective: { hotAbove: 0.425, hotSecondsPerDay: 86.4, shortPodSecondsPerDay: 120 },
  space: [{ parameter: "target", values: [40, 90] }],
  today: {
    candidate: today,
    training: figures(366, 2.2),
    validation: figures(364, 2.1),
    test: figures(364, 2.1, { days: 5 }),
  },
  front: [
    { candidate: target75, training: figures(306, 9.8), isOnFront: true },
    { candidate: target70, training: figures(321, 1.9, { reversals: 5 }), isOnFront: true },
    { candidate: window180, training: figures(341, 1.8), isOnFront: true },
    { candidate: min1, training: figures(363, 2.2), isOnFront: false },
    { candidate: today, training: figures(366, 2.2), isOnFront: false },
  ],
  recommendations: [
    {
      candidate: target70,
      patch: {
        kind: "manifest",
        manifest: {
          apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
          kind: "WorkloadAutoscaler",
          metadata: { name: "shop", namespace: "default" },
          spec: { maxReplicas: 60 },
        },
      },
      saved: 0.114,
      interval: { low: 0.096, high: 0.13 },
      training: figures(321, 1.9, { reversals: 5 }),
      validation: figures(322, 1.7, { reversals: 5 }),
      test: figures(322, 1.7, { days: 5, reversals: 5 }),
      robustness: [
        {
          what: "load +20 %",
          isKept: true,
          shortPodSeconds: 130,
          hotSeconds: 40,
          allowedShortPodSeconds: 140,
          allowedHotSeconds: 86.4,
        },
      ],
      optimism: 0.009,
      confidence: "high",
      reasons: [],
    },
    {
      candidate: window180,
      patch: hpaPatch({ spec: { behavior: { scaleDown: { stabilizationWindowSeconds: 180 } } } }),
      saved: 0.062,
      interval: { low: 0.052, high: 0.071 },
      training: figures(341, 1.8, { reversals: 4 }),
      validation: figures(341, 2, { reversals: 4 }),
      test: figures(341, 2, { days: 5, reversals: 4 }),
      robustness: [],
      optimism: 0.003,
      confidence: "medium",
      reasons: ["skill 0.42"],
    },
  ],
  rejected: [
    {
      candidate: target75,
      stage: "test",
      why: "breaks the objective on 2 of 5 test days",
      figures: figures(306, 9.4, { brokenDays: 2 }),
    },
    {
      candidate: min1,
      stage: "validation",
      why: "less than 3 %",
      figures: figures(363, 2.1, { saved: 0.004 }),
    },
  ],
  optimism: 0.009,
  trend: { change: 0.04, isMoving: false },
  outlyingDays: [{ date: "2026-11-11", ratio: 2.3 }],
  control: {
    recorded: { podHours: 2548, peak: 66, events: 412, reversals: 31, hotSeconds: 0, shortPodSeconds: 0 },
    simulated: { podHours: 2533, peak: 64, events: 398, reversals: 30, hotSeconds: 2, shortPodSeconds: 4 },
    podHoursError: -0.006,
    isWithinBar: true,
  },
  unknowns: [{ kind: "at-max", share: 0.019, effect: "load at maxReplicas is a lower bound" }],
};

export const madeDocument: TuneDocument = {
  schema: "plimsoll/tune/v1",
  version: "1.2.3",
  object: "default/shop",
  from: "2026-10-25T00:00:00.000Z",
  to: "2026-11-22T00:00:00.000Z",
  seed: 1,
  command: "plimsoll tune --recording shop.jsonl.gz --objective utilization=85% --time-zone Europe/Berlin",
  recordingDigest: "0123456789abcdef",
  specDigest: `sha256:${"0".repeat(64)}`,
  openLoop: { steps: 161_280, agreed: 160_634, skill: 0.78, clock: "recovered" },
  assumptions: [{ path: "hotAbove", value: "0.425", source: "given" }],
  report: madeResult,
  notes: [],
  errors: [],
};

export { hpaPatch };
