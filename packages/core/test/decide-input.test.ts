import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  checkedDecideInput,
  type DecideInput,
  DecideInputError,
  decide,
  defaultOptions,
  explain,
} from "../src/index.ts";
import { externalInput, hpaOf, nowMs } from "./fixtures.ts";

const input = externalInput("35", 2);
const boundless = { ...input, hpa: { ...hpaOf({}), spec: { ...hpaOf({}).spec, maxReplicas: undefined } } };

/** As untyped callers have it. */
const malformed: readonly (readonly [what: string, data: object, paths: readonly string[]])[] = [
  ["no maximum", boundless, ["hpa.spec.maxReplicas"]],
  ["a maximum as text", { ...input, hpa: hpaOf({ maxReplicas: "3" as never }) }, ["hpa.spec.maxReplicas"]],
  ["a maximum below one", { ...input, hpa: hpaOf({ maxReplicas: 0.5 }) }, ["hpa.spec.maxReplicas"]],
  ["a minimum below zero", { ...input, hpa: hpaOf({ minReplicas: -1 }) }, ["hpa.spec.minReplicas"]],
  ["a minimum as text", { ...input, hpa: hpaOf({ minReplicas: "3" as never }) }, ["hpa.spec.minReplicas"]],
  ["no HPA", { ...input, hpa: undefined }, ["hpa.spec.maxReplicas"]],
  ["no clock", { ...input, nowMs: undefined }, ["nowMs"]],
  ["a Date", { ...input, nowMs: new Date(nowMs) }, ["nowMs"]],
  ["a clock that is NaN", { ...input, nowMs: Number.NaN }, ["nowMs"]],
  ["unknown semantics", { ...input, options: { semantics: "1.36" } }, ["options.semantics"]],
  ["a tolerance as text", { ...input, options: { tolerance: "0.1" } }, ["options.tolerance"]],
  // Every option, because each is checked by a line of its own.
  ...Object.keys(defaultOptions).map(
    (option) =>
      [`${option} of NaN`, { ...input, options: { [option]: Number.NaN } }, [`options.${option}`]] as const,
  ),
  ["options that are none", { ...input, options: 7 }, ["options"]],
  [
    "several at once",
    { ...boundless, nowMs: "now", options: { scaleToZero: 1 } },
    ["nowMs", "hpa.spec.maxReplicas", "options.scaleToZero"],
  ],
];

test.each(malformed)("%s: nothing is decided, and the outcome names the path", (_, data, paths) => {
  const { decision } = decide(data as DecideInput);
  expect(decision.scaleTo).toBeUndefined();
  expect(decision.outcome).toMatchObject({ action: "none", error: "spec" });
  for (const path of paths) expect(decision.outcome.message).toContain(`${path}: `);
  expect(decision.events).toMatchObject([{ type: "Warning", reason: "InvalidInput" }]);
});

test("with a clock, the condition says it too", () => {
  const { status } = decide(boundless as object as DecideInput).decision;
  expect(status.conditions).toMatchObject([
    {
      type: "ScalingActive",
      status: "False",
      reason: "InvalidInput",
      message: expect.stringContaining("hpa.spec.maxReplicas: must be a whole number from 0 to 2147483647"),
    },
  ]);
});

test("a scale without numbers is a failed reading, not zero replicas", () => {
  const scale = { ok: true, statusReplicas: 2, selector: "app=web" };
  const { decision } = decide({ ...input, scale } as object as DecideInput);
  expect(decision.scaleTo).toBeUndefined();
  expect(decision.status.conditions).toMatchObject([{ type: "AbleToScale", reason: "FailedGetScale" }]);
});

test("whatever is missing, a running target is never scaled to zero", () => {
  const bound = fc.constantFrom(undefined, null, Number.NaN, Infinity, 0.5, -1, 2 ** 31, "5", {}, []);
  assertProperty(
    fc.property(
      bound,
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 0, max: 9999 }),
      (max, now, total) => {
        const spec = { ...hpaOf({}).spec, maxReplicas: max as never };
        const { decision } = decide({ ...externalInput(String(total), now), hpa: { ...hpaOf({}), spec } });
        expect(decision.scaleTo).toBeUndefined();
      },
    ),
  );
});

test.each(malformed)("%s: the checked entry refuses it with the path", (_, data, paths) => {
  expect(problemPaths(data)).toEqual(paths);
});

test("the checked entry takes what decide is made for, as it is", () => {
  expect(checkedDecideInput(input)).toBe(input);
  const pods = [{ name: "a", containers: { app: { cpu: "5m" } } }];
  const more = {
    ...input,
    samples: [{ error: "no" }, { pods }, { value: "1" }],
    options: { semantics: "1.32" },
  };
  expect(checkedDecideInput(more)).toBe(more);
});

test("the checked entry names every value that is not as the types say", () => {
  const data = {
    nowMs,
    hpa: hpaOf({}),
    scale: { ok: true, specReplicas: "2", selector: "app=web" },
    pods: [],
    samples: [
      { values: [{ value: 100 }, { value: "1" }, {}] },
      { pods: [{ name: "a", value: 1 }, { containers: { app: { cpu: 0.5 } } }] },
      { value: "many" },
      {},
      null,
    ],
    options: { tolerence: 0.2 },
  };
  expect(problemPaths(data)).toEqual([
    "scale.specReplicas",
    "scale.statusReplicas",
    "pods.ok",
    "samples[0].values[0].value",
    "samples[0].values[2].value",
    "samples[1].pods[0].value",
    "samples[1].pods[1].name",
    "samples[1].pods[1].containers.app.cpu",
    "samples[2].value",
    "samples[3]",
    "samples[4]",
    "options.tolerence",
  ]);
  for (const nothing of [undefined, null, 5, "x", []]) expect(problemPaths(nothing)).toContain("nowMs");
});

test("the message lists path, value and remedy, and is bounded", () => {
  const samples = Array.from({ length: 1000 }, () => ({ value: 1 }));
  const refused = refusalOf({ ...input, samples });
  expect(refused?.problems).toHaveLength(1000);
  expect(refused?.message.split("\n")).toHaveLength(22);
  expect(refused?.message).toContain('samples[0].value: 1: must be a quantity as text, such as "250m"');
  expect(refused?.message).toContain("and 980 more");
});

function problemPaths(data: unknown): readonly string[] {
  return (refusalOf(data)?.problems ?? []).map(({ path }) => path);
}

function refusalOf(data: unknown): DecideInputError | undefined {
  try {
    checkedDecideInput(data);
  } catch (error) {
    if (error instanceof DecideInputError) return error;
    throw error;
  }
  return undefined;
}

test("an option that does not exist is refused with those that do", () => {
  const message = refusalOf({ ...input, options: { tolerence: 0.2 } })?.message ?? "";
  expect(message).toContain("options.tolerence: 0.2: there is no such option; there are tolerance, ");
});

test("gaps in a list of metrics are metrics of no type, and can be explained", () => {
  const metrics: never[] = [];
  metrics.length = 2;
  const { decision } = decide({ ...input, hpa: hpaOf({ metrics }) });
  expect(decision.outcome.message).toContain("2 invalid out of 2");
  expect(explain(decision)).toContain("unknown metric source type");
});
