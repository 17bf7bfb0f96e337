import { expect, test } from "vitest";
import { withSchedules } from "../src/decide/schedules/index.ts";
import { type DecideInput, decide, diffSettings, diffTracedSettings, recordDecision } from "../src/index.ts";
import { externalAverage, externalInput, hpaOf, nowMs } from "./fixtures.ts";

const recordOf = (input: DecideInput) =>
  recordDecision({ input, memory: undefined, result: decide(input), applied: { outcome: "nothing-to-do" } });
const before = externalInput("50", 5, { hpa: hpaOf({ minReplicas: 1 }) });
const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] } };
const metrics = [externalAverage("20"), externalAverage("5", "other")];
const after = externalInput("90", 5, {
  hpa: hpaOf({ maxReplicas: 20, behavior, metrics }),
  samples: [{ values: [{ value: "90" }] }, { values: [{ value: "200" }] }],
  options: { tolerance: 0.2 },
  mode: "Shadow",
});

test("settings that are spelled out as the default have not changed", () => {
  const spelled = {
    ...before,
    hpa: hpaOf({ minReplicas: 1, behavior: undefined }),
    options: { tolerance: 0.1 },
  };
  expect(diffSettings(recordOf(before), recordOf(spelled))).toEqual([]);
});

test("each setting that changed has its path, what was and what is", () => {
  const found = diffSettings(recordOf(before), recordOf(after));
  expect(found).toEqual(
    expect.arrayContaining([
      { path: "spec.maxReplicas", a: 10, b: 20 },
      { path: "spec.metrics[0].external.target.averageValue", a: "10", b: "20" },
      { path: "options.tolerance", a: 0.1, b: 0.2 },
      { path: "mode", a: "Active", b: "Shadow" },
    ]),
  );
  expect(found.map(({ path }) => path)).toContain("spec.behavior");
  expect(found.some(({ path }) => path.startsWith("samples"))).toBe(false);
});

test("a schedule that moves the bounds has not changed the specification", () => {
  const state = {
    atMs: nowMs,
    floor: 5,
    ceiling: undefined,
    active: [{ name: "day", floor: 5 }],
    nextMs: nowMs + 1000,
  };
  expect(diffSettings(recordOf(before), recordOf(withSchedules(before, state)))).toEqual([]);
});

test("without inputs the traces show what changed", () => {
  expect(diffTracedSettings(decide(before).decision, decide(after).decision)).toEqual([
    { path: "spec.maxReplicas", a: 10, b: 20 },
    { path: "spec.metrics[0].target.value", a: "10", b: "20" },
    { path: "tolerance.down", a: 0.1, b: 0.2 },
    { path: "tolerance.up", a: 0.1, b: 0.2 },
    { path: "spec.behavior", a: "absent", b: "present" },
    {
      path: "spec.metrics[1]",
      a: undefined,
      b: {
        type: "External",
        name: "external metric other(nil)",
        target: { type: "AverageValue", value: "5" },
      },
    },
  ]);
  expect(diffTracedSettings(decide(before).decision, decide(externalInput("50", 0)).decision)).toEqual([]);
});
