// The open loop over decision records: all steps come again, and each planted cause is found.
import type { DecisionRecord } from "@plimsoll/core";
import { expect, test } from "vitest";
import { createExactReplay } from "../../src/index.ts";
import { periodMs, recordedLoop, startMs } from "./recorded.ts";

function replayed(records: readonly DecisionRecord[]) {
  const meter = createExactReplay({ periodMs, maxMismatches: 10 });
  for (const record of records) meter.add(record);
  const result = meter.result();
  if (result === undefined) throw new Error("there are no records");
  return result;
}

/** Up at once, and down after the window of five minutes. */
const upAndDown = [...Array.from({ length: 4 }, () => 100), ...Array.from({ length: 40 }, () => 20)];

test("records of one process come again, with a memory of our own", () => {
  const result = replayed(recordedLoop(upAndDown));
  expect(result).toMatchObject({
    fromMs: startMs,
    toMs: startMs + (upAndDown.length - 1) * periodMs,
    steps: 44,
    agreed: 44,
    skill: 1,
    podHoursError: 0,
    mismatches: [],
    causes: {},
  });
  const { recorded, matched, exact, extra } = result.events;
  expect(recorded).toBeGreaterThan(1);
  expect([matched, exact, extra]).toEqual([recorded, recorded, 0]);
});

test("a start in between is the cause of what is held longer", () => {
  const result = replayed(recordedLoop(upAndDown, 14));
  const at = new Date(startMs + 14 * periodMs).toISOString();
  expect(result.causes).toEqual({ "controller-restart": 1 });
  expect(result.mismatches).toMatchObject([
    {
      recorded: 10,
      ours: 2,
      cause: "controller-restart",
      evidence: `with the memory of a start at ${at} it decides 10`,
    },
  ]);
});

test("missing records are the cause of what was held because of them", () => {
  const records = recordedLoop(upAndDown);
  // Of the load only the first record is there, and nothing of when it ended.
  const result = replayed([...records.slice(0, 1), ...records.slice(12)]);
  expect(result.causes.unexplained).toBeUndefined();
  expect(result.agreed).toBeLessThan(result.steps);
  expect(result.mismatches.map(({ cause }) => cause)).toEqual(["memory"]);
});

test("a count that no input explains is unexplained", () => {
  const records = recordedLoop([30, 30, 30]);
  const bent = records.map((record, n) => (n === 1 ? withDesired(record, 7) : record));
  expect(replayed(bent).mismatches).toEqual([
    {
      atMs: startMs + periodMs,
      recorded: 7,
      ours: 3,
      cause: "unexplained",
      evidence: "neither the recorded memory nor the rules of another release give 7",
    },
  ]);
});

test("records that are not behind the one before them are counted and left out", () => {
  const records = recordedLoop([30, 30, 30]);
  expect(replayed([...records, ...records])).toMatchObject({ steps: 3, agreed: 3, outOfOrder: 3 });
});

test("no record gives no result", () => {
  expect(createExactReplay({ periodMs, maxMismatches: 10 }).result()).toBeUndefined();
});

function withDesired(record: DecisionRecord, desiredReplicas: number): DecisionRecord {
  const { result } = record;
  return { ...record, result: { ...result, decision: { ...result.decision, desiredReplicas } } };
}
