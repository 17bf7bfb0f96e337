import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DecisionRecord, encodeRecord } from "@plimsoll/core";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { checkVectorFile, findVectorFiles, runVectorFile } from "../src/index.ts";
import { someCase } from "../src/oracle/generate/case.ts";
import { recordedDecisions } from "../src/oracle/record-check.ts";

const cases = Array.from({ length: 60 }, (_, at) =>
  recordedDecisions(someCase("record", "test", at), "1.37"),
);
const records = cases.flat().map(({ record }) => record);
const encoded = (record: DecisionRecord): unknown => JSON.parse(encodeRecord(record));
const scaled = records.find(({ result }) => result.decision.scaleTo !== undefined);
if (scaled === undefined) throw new Error("no record with a scale");

const folder = fileFolder();
test("random records have all that upstream does not", () => {
  const steps = new Set(cases.flat().flatMap(({ trace }) => trace.map(({ kind }) => kind)));
  const own = ["failure-policy", "unknown-history", "unconfirmed-scale", "mode", "schedules"] as const;
  for (const kind of own) expect(steps).toContain(kind);
  const policies = cases
    .flat()
    .flatMap(({ trace }) =>
      trace.flatMap((step) => (step.kind === "failure-policy" && step.isApplied ? [step.policy] : [])),
    );
  expect(new Set(policies)).toEqual(new Set(["HoldLast", "Ignore", "Assume", "Fallback"]));
});

test("a record is a file of one case, and a trajectory a file of lines", async () => {
  await writeFile(join(folder, "one.json"), encodeRecord(scaled));
  await writeFile(join(folder, "many.jsonl"), `${records.slice(0, 5).map(encodeRecord).join("\n")}\n`);
  const files = await findVectorFiles(folder);
  const results = await Promise.all(files.map((file) => runVectorFile(file)));
  expect(results.map(({ passed, failed }) => [passed, failed])).toEqual([
    [5, 0],
    [1, 0],
  ]);
});

test("kind record is a trajectory of records", () => {
  const vector = { name: "web", records: records.slice(0, 3).map(encoded) };
  const file = { format: "plimsoll-vectors/1", kind: "record", source: "test", cases: [vector] };
  expect(checkVectorFile(file)).toMatchObject({ passed: 1, failed: 0 });
});

test("what a record claims and is not decided is reported by its field", () => {
  const { decision } = scaled.result;
  const forged = {
    ...scaled,
    result: { ...scaled.result, decision: { ...decision, desiredReplicas: 4711 } },
  };
  const { failed, differences } = checkVectorFile(encoded(forged));
  expect(failed).toBe(1);
  expect(differences).toEqual([
    expect.objectContaining({ path: "records[0].result.decision.desiredReplicas", expected: "4711" }),
  ]);
});

test("a record without a result is a failure", () => {
  const { failed, differences } = checkVectorFile({ apiVersion: "decisions.plimsoll.dev/v1", input: {} });
  expect(failed).toBe(1);
  expect(differences[0]?.actual).toContain("coreVersion must be a string");
});
