import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { withSchedules } from "../src/decide/schedules/index.ts";
import {
  type DecideInput,
  type DecisionRecord,
  decide,
  decodeRecord,
  diffDecisions,
  encodeRecord,
  type HpaMemory,
  instantMs,
  RecordError,
  recordDecision,
  recoverMemory,
  replay,
  withFailedRescale,
  withoutTrace,
} from "../src/index.ts";
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

const packageDir = resolve(import.meta.dirname, "..");
const schema: object = JSON.parse(
  readFileSync(join(packageDir, "schema", "decision-record.v1.json"), "utf8"),
);
const isRecord = new Ajv({ strict: false }).compile(schema);

const failed = { error: "down" };
const lastScaleTime = "2026-01-01T11:59:50Z";
const conditions = [{ type: "AbleToScale", status: "True" }];
const takenOver = {
  ...hpaOf({ metrics: [externalAverage("10")], behavior: {} }),
  status: { conditions, lastScaleTime, currentReplicas: 3, desiredReplicas: 3 },
};
const scheduled = withSchedules(externalInput("20", 3), {
  atMs: nowMs,
  floor: 5,
  ceiling: undefined,
  active: [{ name: "day", floor: 5, untilMs: nowMs + 1000 }],
  nextMs: nowMs + 1000,
});

const cases: readonly (readonly [string, DecideInput, HpaMemory | undefined])[] = [
  ["a cpu metric", withPods(), undefined],
  [
    "an external metric",
    externalInput("90", 3),
    { ...emptyLists(), recommendations: [{ replicas: 4, atMs: 5 }] },
  ],
  ["a scale that cannot be read", externalInput("90", 3, { scale: { ok: false, message: "no" } }), undefined],
  ["a failure policy", externalInput("", 3, { samples: [failed], failurePolicies: [fallback()] }), undefined],
  ["a mode", externalInput("90", 3, { mode: "Shadow" }), undefined],
  ["schedules", scheduled, undefined],
  [
    "an unknown history",
    externalInput("90", 3, { hpa: takenOver }),
    recoverMemory({ hpa: takenOver, replicas: 3, writtenAtMs: undefined, nowMs }),
  ],
];

function withPods(): DecideInput {
  const metrics = [cpuUtilization(50), podsMetric("10")];
  const samples = [cpuSamples(["900m", "800m"]), podsSamples(["1", "2"])];
  return externalInput("", 2, { hpa: hpaOf({ metrics }), pods: { ok: true, pods: readyPods(2) }, samples });
}

function emptyLists(): HpaMemory {
  return { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };
}

function fallback() {
  return { policy: "Fallback", replicas: 5 } as const;
}

function recordOf(input: DecideInput, memory: HpaMemory | undefined): DecisionRecord {
  const result = decide(input, memory);
  return recordDecision({ input, memory, result, applied: { outcome: "nothing-to-do" } });
}

test.each(cases)("a record of %s replays to the same bytes, with its trace", (_, input, memory) => {
  const text = encodeRecord(recordOf(input, memory));
  const record = decodeRecord(text);
  expect(encodeRecord(record)).toBe(text);
  const replayed = replay(record);
  expect(JSON.stringify(withoutTrace(replayed))).toBe(JSON.stringify(record.result));
  expect(replayed.decision.trace).toEqual(decide(input, memory).decision.trace);
  expect(diffDecisions(record.result.decision, replayed.decision)).toEqual([]);
});

test.each(cases)("a record of %s is as the schema has it", (_, input, memory) => {
  const record = JSON.parse(encodeRecord(recordOf(input, memory))) as object;
  isRecord(record);
  expect(isRecord.errors).toBeNull();
  expect(isRecord({ ...record, apiVersion: "decisions.plimsoll.dev/v2" })).toBe(false);
  expect(isRecord({ ...record, result: undefined })).toBe(false);
});

test("a record has no trace, and what it was made with", () => {
  const record = recordOf(
    externalInput("90", 3, { mode: "Paused", options: { semantics: "1.35" } }),
    undefined,
  );
  expect(record).toMatchObject({
    apiVersion: "decisions.plimsoll.dev/v1",
    coreVersion: (JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8")) as { version: string })
      .version,
    semantics: "1.35",
    mode: "Paused",
    at: "2026-01-01T12:00:00Z",
  });
  expect(encodeRecord(record)).not.toContain('"trace"');
});

test("what JSON has no word for comes back as it was", () => {
  const odd = {
    ...externalInput("90", 3),
    nowMs: Number.NaN,
    hpa: {
      ...hpaOf({}),
      metadata: { labels: { $type: "date", app: "web" }, creationTimestamp: new Date(5) },
    },
    samples: [undefined, { value: 12n, timestamp: Number.NEGATIVE_INFINITY, other: undefined, zero: -0 }],
  } as unknown as DecideInput;
  const base = recordOf(externalInput("90", 3), undefined);
  const text = encodeRecord({ ...base, input: odd });
  const { input } = decodeRecord(text);
  const { creationTimestamp, ...metadata } = input.hpa.metadata ?? {};
  expect({ ...input, hpa: { ...input.hpa, metadata } }).toEqual({ ...odd, hpa: { ...odd.hpa, metadata } });
  expect(metadata).toEqual({ labels: { $type: "date", app: "web" } });
  expect(instantMs(creationTimestamp)).toBe(5);
  expect(encodeRecord({ ...base, input })).toBe(text);
  expect(
    encodeRecord({
      ...base,
      input: { ...odd, hpa: { ...odd.hpa, status: { lastScaleTime: new Date(Number.NaN) } } },
    }),
  ).toContain('{"$type":"date","value":""}');
});

test.each([
  ["{", "a record must be JSON"],
  ["[]", "a record must be an object, but is a list"],
  ['{"apiVersion":"v0"}', 'apiVersion must be decisions.plimsoll.dev/v1, but is "v0"'],
  [changed({ coreVersion: 1 }), "coreVersion must be a string, but is 1"],
  [changed({ mode: "On" }), 'mode must be one of Active, Shadow, Paused, but is "On"'],
  [changed({ input: undefined }), "input must be an object"],
  [changed({ memory: [] }), "memory must be an object, but is a list"],
  [changed({ result: { decision: 1, memory: {} } }), "result.decision must be an object, but is 1"],
  [changed({ applied: { outcome: "done" } }), "applied.outcome must be one of nothing-to-do, scaled"],
  [sampled({ $type: "bigint", value: "1e9" }), "input.samples[0] must be a value as encodeRecord writes it"],
  [sampled({ $type: "bigint", value: "9".repeat(10_000) }), "input.samples[0] must be a value"],
  [sampled({ $type: "number", value: {} }), "input.samples[0] must be a value"],
  [sampled({ $type: "date", value: 5 }), "input.samples[0] must be a value"],
  [sampled({ $type: "object", value: [["a"]] }), "input.samples[0] must be a value"],
  [sampled({ $type: "toString" }), "input.samples[0] must be a value"],
  [`${"[".repeat(100_000)}${"]".repeat(100_000)}`, "a record must not be nested deeper than 200 levels"],
])("text %# is refused, with the path of what is wrong", (text, message) => {
  expect(() => decodeRecord(text)).toThrow(RecordError);
  expect(() => decodeRecord(text)).toThrow(message);
});

function changed(fields: object): string {
  return JSON.stringify({
    ...JSON.parse(encodeRecord(recordOf(externalInput("90", 3), undefined))),
    ...fields,
  });
}

function sampled(sample: object): string {
  return changed({ input: { samples: [sample] } });
}

test("a record is replayed by the release that it was decided by, when its input named none", () => {
  const record = recordOf(externalInput("90", 3, { options: undefined }), undefined);
  const types = (semantics: DecisionRecord["semantics"]) =>
    replay({ ...record, semantics }).decision.status.conditions.map(({ type }) => type);
  expect(types("1.37")).toContain("ScaledToZero");
  expect(types("1.32")).not.toContain("ScaledToZero");
});

test("what a key called __proto__ holds comes back as its own", () => {
  const labels = JSON.parse('{"__proto__":{"a":1},"$type":"x"}') as object;
  const text = changed({
    input: { ...externalInput("90", 3), labels: { $type: "object", value: Object.entries(labels) } },
  });
  const { labels: read } = decodeRecord(text).input as DecideInput & { labels: object };
  expect(Object.entries(read)).toEqual(Object.entries(labels));
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
});

test("two decisions part at the first step that differs", () => {
  const input = externalInput("90", 3, { hpa: hpaOf({ metrics: [externalAverage("10")], behavior: {} }) });
  const one = decide(input);
  const other = decide(input, { ...emptyLists(), scaleUpEvents: [{ change: 2, atMs: nowMs - 1000 }] });
  const differences = diffDecisions(one.decision, other.decision);
  expect(differences.map(({ step }) => step)).toEqual(["rate", "limit", "result", "decision"]);
  expect(differences[0]?.fields).toContainEqual({ path: "policies[0].added", a: 0, b: 2 });
  expect(differences.at(-1)?.fields).toContainEqual({ path: "desiredReplicas", a: 7, b: 5 });
});

test("a step that only one has is a difference, and metrics are compared by their place", () => {
  const metrics = [externalAverage("10"), externalAverage("10", "other")];
  const on = (samples: DecideInput["samples"]) =>
    decide(externalInput("", 3, { hpa: hpaOf({ metrics }), samples }));
  const good = [{ values: [{ value: "30" }] }, { values: [{ value: "30" }] }];
  const differences = diffDecisions(on(good).decision, on([good[0] ?? failed, failed]).decision);
  expect(differences[0]).toMatchObject({ step: "metric", metric: 1 });
  const shadow = decide(externalInput("90", 3, { mode: "Shadow" })).decision;
  const active = decide(externalInput("90", 3)).decision;
  expect(diffDecisions(active, shadow)[0]).toMatchObject({
    step: "mode",
    fields: [{ path: "", a: undefined }],
  });
});

test("of a failed write the record has the decision, and what became of it", () => {
  const input = externalInput("90", 3);
  const result = decide(input);
  const applied = { outcome: "scale-failed", message: "conflict", isUncertain: true } as const;
  const record = decodeRecord(encodeRecord(recordDecision({ input, memory: undefined, result, applied })));
  const { message, isUncertain } = record.applied;
  expect(withFailedRescale(replay(record), message ?? "", isUncertain)).toEqual(
    withFailedRescale(result, "conflict", true),
  );
});
