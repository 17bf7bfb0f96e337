// Between two scrapes the count moves more often than once, and the pods are dated to a second.
import { expect, test } from "vitest";
import type { RecordedPod } from "../../src/index.ts";
import { instantOf, planted, recordedPod } from "./planted.ts";

function repeated(count: number, value: number): readonly number[] {
  return Array.from({ length: count }, () => value);
}

/** A pod that was created by a decision. */
function podOf(n: number): RecordedPod {
  const createdMs = instantOf(n);
  return recordedPod(`shop-b-${n}`, {
    createdMs,
    startedMs: createdMs,
    ready: [{ fromMs: createdMs + 5000 }],
    uncertaintyMs: 1000,
  });
}

/** Up by 3 → 6 → 10. */
const upTwice = [...repeated(25, 30), ...repeated(5, 100)];

test("two-moves: the count moves twice between two scrapes", () => {
  const report = planted({
    totals: upTwice,
    recorded: ({ scale: [first], ...recording }) => ({
      ...recording,
      pods: [podOf(25), podOf(26)],
      scale: [
        ...(first === undefined ? [] : [first]),
        { earliestMs: instantOf(25) - 4000, atMs: instantOf(26) + 4000, value: 10 },
      ],
    }),
  });
  expect(report.causes).toEqual({ "two-moves": 1 });
  expect(report.mismatches[0]).toMatchObject({
    atMs: instantOf(25),
    recorded: 10,
    ours: 6,
    evidence: "replicas changed 2 times between two scrapes: to 6, then to 10",
  });
});

test("a second change is one of the next decision, although a pod of the first dates it", () => {
  const report = planted({
    totals: upTwice,
    recorded: ({ scale: [first], ...recording }) => ({
      ...recording,
      pods: [podOf(25), podOf(26)],
      scale: [
        ...(first === undefined ? [] : [first]),
        { earliestMs: instantOf(25) - 4000, atMs: instantOf(25) + 500, value: 6 },
        { earliestMs: instantOf(25) + 500, atMs: instantOf(26) + 500, value: 10 },
      ],
    }),
  });
  expect(report).toMatchObject({ agreed: 30, mismatches: [] });
});
