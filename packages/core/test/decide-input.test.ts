import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { withSchedules } from "../src/decide/schedules/index.ts";
import {
  checkedDecideInput,
  type DecideInput,
  DecideInputError,
  decide,
  defaultOptions,
  explain,
} from "../src/index.ts";
import { externalAverage, externalInput, hpaOf, nowMs } from "./fixtures.ts";

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
  ["unknown semantics", { ...input, options: { semantics: "1.39" } }, ["options.semantics"]],
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
  // A condition has a time.
  expect(decision.status.conditions).toHaveLength(paths.includes("nowMs") ? 0 : 1);
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

test.each([
  { ok: true, statusReplicas: 2, selector: "app=web" },
  { ok: true, specReplicas: 2, selector: "app=web" },
  { ok: "yes", specReplicas: 2, statusReplicas: 2 },
  undefined,
  null,
])("a scale of %j is a failed reading, not zero replicas", (scale) => {
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

test("the checked entry reads the members of lists where an object has to be", () => {
  const pods = [{ name: "a", containers: [{ cpu: 250 }] }];
  expect(problemPaths({ ...input, samples: [{ pods }], options: ["x"] })).toEqual([
    "samples[0].pods[0].containers.0.cpu",
    "options.0",
  ]);
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

test.each<[unknown, string]>([
  ["0.1", '"0.1"'],
  ["x".repeat(100), `"${"x".repeat(100)}"`],
  ["x".repeat(101), `"${"x".repeat(100)}…"`],
  [Number.NaN, "NaN"],
  [true, "true"],
  [null, "null"],
  [() => 1, "a function"],
  [[1], "a list"],
  [new Date(0), "a Date"],
  [{ a: 1 }, "an object"],
])("a message shows %o as %s", (value, shown) => {
  const message = refusalOf({ ...input, options: { tolerence: value } })?.message;
  expect(message).toContain(`options.tolerence: ${shown}: unknown option`);
});

test.each([
  ["semantics", '"1.39"', "1.39", "1.32, 1.35, 1.36, 1.37, 1.38"],
  ["scaleToZero", "1", 1, "a boolean"],
  ["tolerance", "true", true, "a number"],
])("the option %s of %s is refused with what it has to be", (option, shown, value, wanted) => {
  const message = refusalOf({ ...input, options: { [option]: value } })?.message;
  expect(message).toContain(`options.${option}: ${shown}: must be ${wanted}; leave it out for the default`);
});

test.each([0, 2_147_483_647])("a bound of %i is one that the API can hold", (bound) => {
  const hpa = hpaOf({ minReplicas: bound, maxReplicas: bound });
  expect(problemPaths({ ...input, hpa })).toEqual([]);
});

test("an option that does not exist is refused with those that do", () => {
  const message = refusalOf({ ...input, options: { tolerence: 0.2 } })?.message ?? "";
  expect(message).toContain("options.tolerence: 0.2: unknown option; use tolerance, ");
});

test("gaps in a list of metrics are metrics of no type, and can be explained", () => {
  const metrics: never[] = [];
  metrics.length = 2;
  const { decision } = decide({ ...input, hpa: hpaOf({ metrics }) });
  expect(decision.outcome.message).toContain("2 invalid out of 2");
  expect(explain(decision)).toContain("unknown metric source type");
});

const active = { name: "day", floor: 5, sinceMs: nowMs - 1000, untilMs: nowMs + 1000 };
const state = { atMs: nowMs, floor: 5, ceiling: undefined, active: [active], nextMs: nowMs + 1000 };

test.each<[string, object]>([
  ["no own bounds", { own: undefined }],
  ["a minimum that is not a number", { own: { minReplicas: "1", maxReplicas: 10 } }],
  ["a maximum that is not a number", { own: { minReplicas: 1, maxReplicas: Number.NaN } }],
  ["no effective bounds", { effective: null }],
  ["problems that are no list", { problems: {} }],
  ["a problem that is null", { problems: [{}, null] }],
  ["a problem that is text", { problems: ["x"] }],
  ["no state", { state: undefined }],
  ["no active schedules", { state: { ...state, active: undefined } }],
  ["an active schedule that is null", { state: { ...state, active: [active, null] } }],
  ["a next change that is not a number", { state: { ...state, nextMs: "soon" } }],
  [
    "a beginning that is not a number",
    { state: { ...state, active: [active, { ...active, sinceMs: "x" }] } },
  ],
  ["an end that is not a number", { state: { ...state, active: [{ ...active, untilMs: null }] } }],
])("schedules with %s count as absent", (_, broken) => {
  const { schedules } = withSchedules(input, state);
  const decided = (given: object | undefined) => decide({ ...input, schedules: given } as DecideInput);
  expect(decided({ ...schedules, ...broken })).toEqual(decide(input));
  const { nextMs: _next, ...endless } = state;
  for (const known of [schedules, { ...schedules, problems: [] }, { ...schedules, state: endless }])
    expect(decided(known).decision.status).toHaveProperty("schedules");
});

test.each<[string, unknown]>([
  ["null", null],
  ["text", "Ignore"],
  ["of no known name", { policy: "Retry" }],
  ["a HoldLast without a time", { policy: "HoldLast", forSeconds: "60" }],
  ["an Assume without a value", { policy: "Assume", value: null }],
  ["a Fallback without replicas", { policy: "Fallback", replicas: Number.NaN }],
])("a failure policy that is %s blocks its own metric, as an absent one does", (_, odd) => {
  const metrics = [externalAverage("10"), externalAverage("10", "other")];
  const failing = { hpa: hpaOf({ metrics }), samples: [{ error: "down" }, { error: "down" }] };
  const decided = (failurePolicies: unknown) =>
    decide({ ...input, ...failing, failurePolicies } as DecideInput).decision;
  const fallback = { policy: "Fallback", replicas: 4 };
  expect(decided([odd, fallback])).toStrictEqual(decided([{ policy: "Block" }, fallback]));
  expect(decided([odd, fallback]).scaleTo).toBe(4);
});
