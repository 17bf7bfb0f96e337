// The open loop over simulated recordings: at exact instants every step comes again, for each type of metric.
import type { HpaSpec, MetricSpec, SemanticsProfile } from "@plimsoll/core";
import { hourMs } from "@plimsoll/core/internal/values";
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import type { Autoscaler, Load, PodModel, Scenario } from "@plimsoll/simulator";
import {
  externalMetric,
  hpa,
  pod,
  podsMetric,
  scenario,
  startMs,
  workload,
} from "@plimsoll/simulator/testing";
import { describe, expect, test } from "vitest";
import { type OpenLoopReport, type Recording, replayOpenLoop } from "../../src/index.ts";
import { recordScenario } from "../../src/testing/recorder.ts";

const options = { periodMs: 15_000, cacheAgeMs: 0, maxMismatches: 10 };

/** Up and down, with noise. */
const load: Load = {
  kind: "noise",
  of: { kind: "sine", mean: 900, amplitude: 700, periodMs: hourMs, peakAtMs: startMs + 1_200_000 },
  deviation: 0.1,
  memoryMs: 30_000,
};

const slowPod: PodModel = {
  ...pod,
  requests: { cpu: 0.5, memory: 128 * 2 ** 20 },
  idleCpu: 0.05,
  start: {
    schedule: { kind: "fixed", ms: 900 },
    pull: { kind: "fixed", ms: 3300 },
    ready: { kind: "log-normal", medianMs: 18_000, p95Ms: 40_000 },
  },
  crashesPerHour: 0.5,
  terminationMs: 20_000,
  drainMs: 5000,
};

const types: readonly (readonly [string, readonly MetricSpec[]])[] = [
  [
    "Resource",
    [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } },
      },
    ],
  ],
  [
    "ContainerResource",
    [
      {
        type: "ContainerResource",
        containerResource: {
          name: "cpu",
          container: "app",
          target: { type: "AverageValue", averageValue: "350m" },
        },
      },
    ],
  ],
  ["Pods", [podsMetric("http_requests_per_second", "60")]],
  [
    "Object",
    [
      {
        type: "Object",
        object: {
          describedObject: { kind: "Ingress", name: "shop" },
          metric: { name: "offered" },
          target: { type: "AverageValue", averageValue: "70" },
        },
      },
    ],
  ],
  ["External", [externalMetric("offered", "65")]],
];

const behavior: NonNullable<HpaSpec["behavior"]> = {
  scaleUp: {
    stabilizationWindowSeconds: 30,
    policies: [
      { type: "Pods", value: 3, periodSeconds: 60 },
      { type: "Percent", value: 40, periodSeconds: 90 },
    ],
  },
  scaleDown: {
    stabilizationWindowSeconds: 120,
    policies: [{ type: "Percent", value: 30, periodSeconds: 60 }],
  },
};

const schedules: readonly ScheduleSpec[] = [
  { name: "floor", timeZone: "UTC", start: "20 * * * *", duration: "20m", minReplicas: 12 },
  { name: "ceiling", timeZone: "UTC", start: "10 * * * *", duration: "10m", maxReplicas: 18 },
];

const profiles: readonly SemanticsProfile[] = ["1.32", "1.35", "1.36", "1.37", "1.38"];

interface Case {
  readonly metrics: readonly MetricSpec[];
  readonly own?: Partial<Autoscaler>;
  readonly behavior?: HpaSpec["behavior"];
}

function autoscalerOf({ metrics, own, behavior: rules }: Case): Autoscaler {
  return {
    ...hpa({ metrics, minReplicas: 2, maxReplicas: 60, ...(rules === undefined ? {} : { behavior: rules }) }),
    ...own,
  };
}

function scenarioOf(autoscaler: Autoscaler, durationMs = 2 * hourMs): Scenario {
  return scenario(
    {
      durationMs,
      controller: { syncPeriodMs: 15_000, slipMs: 20, firstSyncMs: 5000, reactionMs: 200, options: {} },
    },
    [
      workload({
        replicas: 8,
        load,
        pod: slowPod,
        autoscaler,
        metrics: {
          http_requests_per_second: { of: "requests", query: "rate", windowMs: 60_000 },
          offered: { of: "offered", query: "rate", windowMs: 60_000 },
        },
      }),
    ],
  );
}

function replayed(recording: Recording, autoscaler: Autoscaler): OpenLoopReport {
  const report = replayOpenLoop(recording, autoscaler, options);
  if (report === undefined) throw new Error("there are no decisions");
  return report;
}

/** What is missing to every step and every event, of enough of both. */
function flawsOf(report: OpenLoopReport): readonly unknown[] {
  const { steps, agreed, skill, podHoursError, leftOut, notes, mismatches, events } = report;
  const isWhole = agreed === steps && skill === 1 && podHoursError === 0 && leftOut === 0;
  const areEvents = events.exact === events.recorded && events.extra === 0;
  const isEnough = steps > 450 && events.recorded > 8;
  return [
    ...mismatches,
    ...notes,
    ...(isWhole ? [] : ["steps"]),
    ...(areEvents ? [] : [events]),
    ...(isEnough ? [] : [steps]),
  ];
}

describe("at exact instants all steps and events come again", () => {
  describe.each(types)("%s", (_, metrics) => {
    test.each(profiles)("by the rules of %s", (semantics) => {
      const autoscaler = autoscalerOf({ metrics, own: { options: { semantics } } });
      const report = replayed(recordScenario(scenarioOf(autoscaler)), autoscaler);
      expect(flawsOf(report)).toEqual([]);
      expect(report.clock).toEqual({ state: "known", periodMs: 15_020 });
    });

    test("with behavior", () => {
      const autoscaler = autoscalerOf({ metrics, behavior });
      expect(flawsOf(replayed(recordScenario(scenarioOf(autoscaler)), autoscaler))).toEqual([]);
    });

    test("with schedules", () => {
      const autoscaler = autoscalerOf({ metrics, own: { schedules } });
      const recording = recordScenario(scenarioOf(autoscaler));
      expect(flawsOf(replayed(recording, autoscaler))).toEqual([]);
      // Without them the recording is another.
      const { schedules: _, ...plain } = autoscaler;
      expect(flawsOf(replayed(recording, plain))).not.toEqual([]);
    });
  });
});
