// Inputs that are changed and decided again, for untyped callers.
import { expect, test } from "vitest";
import { readableInput } from "../src/decide/readable-input.ts";
import { decide } from "../src/index.ts";
import { externalAverage, externalInput, hpaOf, nowMs, readyPods } from "./fixtures.ts";

const input = externalInput("35", 2, { pods: { ok: true, pods: readyPods(2) } });
const read = (more: object) => readableInput({ ...input, ...more });

test("what decide refuses is not readable, and what it takes is decided alike", () => {
  expect(read({ nowMs: Number.NaN })).toBeUndefined();
  const status = decide(input).decision.status;
  const given = { ...input, hpa: { ...input.hpa, status } };
  const readable = readableInput(given);
  expect(readable).toMatchObject({ nowMs, hpa: { ...input.hpa, status }, scale: input.scale });
  expect(readable?.samples[0]).toBe(input.samples[0]);
  expect(readable?.pods).toMatchObject({ ok: true, pods: [{ metadata: { name: "pod-0" } }, {}] });
  expect(decide(readable ?? given)).toEqual(decide(given));
});

test.each<[string, object, object]>([
  ["no scale", { scale: undefined }, { scale: { ok: false, message: "" } }],
  ["no pods", { pods: undefined }, { pods: { ok: false, message: "" } }],
  ["pods that failed", { pods: { ok: false, message: "cold" } }, { pods: { ok: false, message: "cold" } }],
  ["a status that is null", { hpa: { ...hpaOf({}), status: null } }, { hpa: { status: undefined } }],
  ["no status", { hpa: hpaOf({}) }, { hpa: { status: undefined } }],
  [
    "a status of odd values",
    { hpa: { ...hpaOf({}), status: { currentReplicas: "2", conditions: 7 } } },
    { hpa: { status: { currentReplicas: 0, conditions: [] } } },
  ],
  [
    "a specification with a gap",
    { hpa: hpaOf({ metrics: [null as never, externalAverage("10")] }) },
    { hpa: { spec: { metrics: [{ type: "" }, externalAverage("10")] } } },
  ],
  ["samples that are no list", { samples: { 0: {} } }, { samples: [] }],
  [
    "samples of odd values",
    { samples: [null, 7, { pods: [null, 7, { name: "a" }] }, { pods: 7 }, { value: "1" }] },
    { samples: [{ pods: [] }, { pods: [] }, { pods: [{ name: "a" }] }, { pods: 7 }, { value: "1" }] },
  ],
])("%s", (_, more, readable) => {
  expect(read(more)).toMatchObject(readable);
});
