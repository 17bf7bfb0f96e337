// What holds of every answer of whyNot.
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type DecideInput,
  type DecisionRecord,
  decide,
  type HpaMemory,
  type NeededSetting,
  recordDecision,
  whyNot,
} from "../src/index.ts";
import { afterwards } from "./evaluations.ts";
import {
  cpuSamples,
  cpuUtilization,
  externalAverage,
  externalInput,
  hpaOf,
  nowMs,
  podsMetric,
  podsSamples,
  readyPods,
} from "./fixtures.ts";

const metrics = [
  {
    spec: cpuUtilization(60),
    samples: (value: number, pods: number) => cpuSamples(Array(pods).fill(`${value * 10}m`) as string[]),
    text: (value: number) => `${value}%`,
  },
  {
    spec: externalAverage("30", "queue_depth"),
    samples: (value: number) => ({ values: [{ value: String(value) }] }),
    text: String,
  },
  {
    spec: podsMetric("7"),
    samples: (value: number, pods: number) => podsSamples(Array(pods).fill(String(value)) as string[]),
    text: String,
  },
] as const;

const asked = fc.record({
  current: fc.integer({ min: 1, max: 20 }),
  values: fc.tuple(fc.nat(150), fc.nat(600), fc.nat(20)),
  used: fc.uniqueArray(fc.nat(2), { minLength: 1, maxLength: 3 }),
  n: fc.nat(30),
  min: fc.integer({ min: 1, max: 3 }),
  recommended: fc.array(fc.record({ replicas: fc.nat(25), ageSeconds: fc.integer({ min: 1, max: 400 }) }), {
    maxLength: 4,
  }),
  behavior: fc.option(
    fc.record(
      {
        scaleUp: fc.record({
          stabilizationWindowSeconds: fc.nat(90),
          policies: fc.constant([{ type: "Pods", value: 3, periodSeconds: 30 }]),
        }),
        scaleDown: fc.record({
          stabilizationWindowSeconds: fc.nat(90),
          policies: fc.constant([{ type: "Percent", value: 50, periodSeconds: 45 }]),
        }),
      },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  ),
});
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

function inputOfAsked({ current, values, used, min, behavior }: Asked): DecideInput {
  const chosen = used.flatMap((at) => metrics[at] ?? []);
  return externalInput("0", current, {
    hpa: hpaOf({
      metrics: chosen.map(({ spec }) => spec),
      minReplicas: min,
      maxReplicas: 25,
      ...(behavior && { behavior }),
    }),
    pods: { ok: true, pods: readyPods(current) },
    samples: used.map((at) => samplesOf(at, values[at] ?? 0, current)),
  });
}

function samplesOf(at: number, value: number, pods: number) {
  return metrics[at]?.samples(value, pods) ?? { error: "none" };
}

function recordOfAsked(given: Asked): DecisionRecord {
  const input = inputOfAsked(given);
  const memory: HpaMemory = {
    recommendations: [
      { replicas: given.current, atMs: nowMs - 3_600_000 },
      ...given.recommended.map(({ replicas, ageSeconds }) => ({ replicas, atMs: nowMs - ageSeconds * 1000 })),
    ],
    scaleUpEvents: [],
    scaleDownEvents: [],
  };
  return recordDecision({
    input,
    memory,
    result: decide(input, memory),
    applied: { outcome: "nothing-to-do" },
  });
}

test("a value that whyNot names gives N, and one unit less does not", () => {
  let seen = 0;
  assertProperty(
    fc.property(asked, (given) => {
      const record = recordOfAsked(given);
      const found = whyNot(record, given.n);
      fc.pre(found.is !== "decided" && (found.values ?? []).length > 0);
      seen++;
      const { values = [], needs } = found;
      const numbers = new Map(values.map(({ metric, needed }) => [metric, Number.parseFloat(needed)]));
      const at = (metric: number, value: number) =>
        proposalOf(given, record, new Map([[metric, value]]), metric);
      fc.pre(values.every(({ needed }) => !needed.endsWith("m")));
      for (const { metric, needed, upTo = needed } of values) {
        const value = Number.parseFloat(needed);
        expect(at(metric, value)).toBe(given.n);
        expect(at(metric, Number.parseFloat(upTo))).toBe(given.n);
        expect(value === 0 || at(metric, value - 1) !== given.n).toBe(true);
      }
      const together = (needs === "all" ? [[...numbers]] : [...numbers].map((one) => [one])).map(
        (list) => new Map(list),
      );
      for (const applied of found.is === "metrics" ? together : []) {
        expect(decidedWith(given, record, applied)).toBe(given.n);
      }
    }),
    { numRuns: 300, maxSkipsPerRun: 1000 },
  );
  expect(seen).toBeGreaterThan(50);
});

function withValues(given: Asked, record: DecisionRecord, values: ReadonlyMap<number, number>): DecideInput {
  const { input } = record;
  const samples = input.samples.map((own, i) => {
    const value = values.get(i);
    return value === undefined ? own : samplesOf(given.used[i] ?? 0, value, given.current);
  });
  return { ...input, samples };
}

function proposalOf(
  given: Asked,
  record: DecisionRecord,
  values: ReadonlyMap<number, number>,
  metric: number,
) {
  const { trace } = decide(withValues(given, record, values), record.memory).decision;
  return trace.find(
    (step) =>
      step.kind === "metric" &&
      step.index === metric &&
      step.error === undefined &&
      step.replicas !== undefined,
  )?.kind === "metric"
    ? trace.flatMap((step) => (step.kind === "metric" && step.index === metric ? [step.replicas] : []))[0]
    : undefined;
}

function decidedWith(given: Asked, record: DecisionRecord, values: ReadonlyMap<number, number>): number {
  const { decision } = decide(withValues(given, record, values), record.memory);
  return decision.scaleTo ?? decision.currentReplicas;
}

test("the earliest time that whyNot names is the first at which a controller decides N", () => {
  let seen = 0;
  assertProperty(
    fc.property(asked, (given) => {
      const record = recordOfAsked(given);
      const found = whyNot(record, given.n);
      fc.pre(found.is === "held" && found.earliest !== undefined && found.values === undefined);
      // Without behavior replicas double with each evaluation, which this test does more often than a controller.
      fc.pre(given.behavior !== undefined || found.step !== "rate");
      seen++;
      expect(firstSecond(record, given.n)).toBe(Date.parse(found.earliest ?? ""));
    }),
    // Each run takes some hundred decisions.
    { numRuns: 30, maxSkipsPerRun: 1000 },
  );
  expect(seen).toBeGreaterThan(20);
});

/** Decides at each second and the millisecond after it, and makes what is decided. */
function firstSecond({ input, memory }: DecisionRecord, n: number): number | undefined {
  let result = decide(input, memory);
  let made = input;
  for (let ms = nowMs; ms < nowMs + 900_000; ms += 1000) {
    for (const atMs of ms === nowMs ? [ms + 1] : [ms, ms + 1]) {
      const { scaleTo, currentReplicas } = result.decision;
      made = { ...afterwards(made, result, scaleTo ?? currentReplicas), nowMs: atMs };
      result = decide(made, result.memory);
      if ((result.decision.scaleTo ?? result.decision.currentReplicas) === n) return ms;
    }
  }
  return undefined;
}

test("a setting that whyNot names gives N, and the next one does not", () => {
  let seen = 0;
  assertProperty(
    fc.property(asked, (given) => {
      const record = recordOfAsked(given);
      const found = whyNot(record, given.n);
      fc.pre(found.is === "held" && found.values === undefined && (found.settings ?? []).length > 0);
      seen++;
      for (const setting of found.settings ?? []) {
        const [good, worse] = tried(setting);
        expect(decidedBySetting(record, good)).toBe(given.n);
        expect(worse !== undefined && decidedBySetting(record, worse) === given.n).toBe(false);
      }
    }),
    { numRuns: 150, maxSkipsPerRun: 1000 },
  );
  expect(seen).toBeGreaterThan(20);
});

interface Tried {
  readonly field: string;
  readonly value: number | string;
}

/** The setting itself, and the next one that is not enough. */
function tried({ field, bound }: NeededSetting): readonly [Tried, Tried?] {
  if (field === "behavior") return [{ field: "behavior.scaleDown.selectPolicy", value: "Max" }];
  const [operator = "", text = ""] = bound.split(" ");
  const value = Number(text);
  if (operator === "=") return [{ field, value: Number.isNaN(value) ? text : value }];
  const step = field.endsWith("tolerance") ? 0.001 : 1;
  return [
    { field, value },
    { field, value: operator === "<=" ? value + step : value - step },
  ];
}

function decidedBySetting({ input, memory }: DecisionRecord, { field, value }: Tried): number {
  const spec = structuredClone(input.hpa.spec) as object as Record<string, unknown>;
  const [, side = "", rest = ""] = /^behavior\.(\w+)\.(.*)$/u.exec(field) ?? [];
  if (side === "") spec[field] = value;
  else {
    const behavior = (spec["behavior"] ??= {}) as Record<string, Record<string, unknown>>;
    const own = (behavior[side] ??= {});
    const at = /^policies\[(\d)\]\.value$/u.exec(rest)?.[1];
    if (at === undefined) own[rest] = rest === "tolerance" ? Number(value).toFixed(3) : value;
    else {
      const defaults =
        side === "scaleUp"
          ? [
              { type: "Pods", value: 4, periodSeconds: 15 },
              { type: "Percent", value: 100, periodSeconds: 15 },
            ]
          : [{ type: "Percent", value: 100, periodSeconds: 15 }];
      const policies = (own["policies"] ?? defaults) as readonly object[];
      own["policies"] = policies.map((policy, i) => (i === Number(at) ? { ...policy, value } : policy));
    }
  }
  const changed = { ...input, hpa: { ...input.hpa, spec: spec as object as DecideInput["hpa"]["spec"] } };
  const { decision } = decide(changed, memory);
  return decision.scaleTo ?? decision.currentReplicas;
}

test("values are found within 40 decisions for each metric", () => {
  assertProperty(
    fc.property(asked, (given) => {
      const record = recordOfAsked(given);
      const { hpa } = record.input;
      let reads = 0;
      const counted = {
        ...hpa,
        get metadata() {
          reads++;
          return hpa.metadata;
        },
      };
      decide({ ...record.input, hpa: counted }, record.memory);
      const perDecision = reads;
      reads = 0;
      const found = whyNot({ ...record, input: { ...record.input, hpa: counted } }, given.n);
      fc.pre(found.is === "metrics");
      expect(reads / perDecision).toBeLessThanOrEqual(2 + 40 * given.used.length);
    }),
    { numRuns: 300, maxSkipsPerRun: 1000 },
  );
});
