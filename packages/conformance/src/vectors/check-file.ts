// Checks one vector file, case by case.
import { recordApiVersion, type SemanticsProfile } from "@plimsoll/core";
import { type CaseDifference, type Difference, differ } from "./difference.ts";
import { checkBehavior } from "./kinds/behavior.ts";
import { checkCronHpa, checkCronNext } from "./kinds/cron.ts";
import { checkConversion, checkDefaulting } from "./kinds/objects.ts";
import { checkProposal } from "./kinds/proposal.ts";
import { checkQuantity } from "./kinds/quantity.ts";
import { checkRecords } from "./kinds/record.ts";
import { checkTrajectory } from "./kinds/trajectory.ts";
import { checkValidation } from "./kinds/validation.ts";
import { fieldOf, isObject, readList, readObject, readText, VectorError } from "./read.ts";

type CheckCase = (vector: unknown, semantics: SemanticsProfile) => readonly CaseDifference[];

const kinds: ReadonlyMap<string, CheckCase> = new Map<string, CheckCase>([
  ["record", checkRecords],
  ["quantity", checkQuantity],
  ["proposal", checkProposal],
  ["behavior", checkBehavior],
  ["trajectory", checkTrajectory],
  ["validation", checkValidation],
  ["defaulting", checkDefaulting],
  ["conversion", checkConversion],
  ["cron-hpa", checkCronHpa],
  ["cron-next", checkCronNext],
]);

export interface FileResult {
  readonly passed: number;
  readonly failed: number;
  readonly differences: readonly Difference[];
}

/** Runs the parsed content of one vector file, or of a decision record, against `@plimsoll/core`. */
export function checkVectorFile(content: unknown): FileResult {
  if (isRecord(content)) return checkRecordList([content]);
  try {
    const file = readObject(content, "", ["format", "kind", "source", "semantics", "cases"]);
    if (file["format"] !== "plimsoll-vectors/1") throw new VectorError("format", "is not plimsoll-vectors/1");
    const kind = readText(file, "kind", "");
    const check = kinds.get(kind);
    if (check === undefined) throw new VectorError("kind", `unsupported kind ${JSON.stringify(kind)}`);
    const semantics = readSemantics(fieldOf(file, "semantics"));
    return checkCases(readList(file, "cases", ""), check, semantics);
  } catch (error) {
    return { passed: 0, failed: 1, differences: [{ name: "", ...problem(error) }] };
  }
}

function isRecord(content: unknown): boolean {
  return isObject(content) && content["apiVersion"] === recordApiVersion;
}

/** Records as a process keeps them: each is a case, named by its instant. */
export function checkRecordList(records: readonly unknown[]): FileResult {
  const cases = records.map((record, i) => ({
    name: `record ${i} of ${isObject(record) ? String(record["at"]) : "nothing"}`,
    records: [record],
  }));
  return checkCases(cases, checkRecords, "1.37");
}

const profiles: readonly unknown[] = ["1.32", "1.35", "1.37"];

function readSemantics(value: unknown): SemanticsProfile {
  if (value === undefined) return "1.37";
  if (!profiles.includes(value))
    throw new VectorError("semantics", `unknown profile ${JSON.stringify(value)}`);
  return value as SemanticsProfile;
}

function checkCases(cases: readonly unknown[], check: CheckCase, semantics: SemanticsProfile): FileResult {
  let failed = 0;
  const differences: Difference[] = [];
  cases.forEach((vector, i) => {
    const found = checkCase(vector, check, semantics);
    if (found.length > 0) failed++;
    const named = isObject(vector) ? vector["name"] : undefined;
    const name = typeof named === "string" ? named : `cases[${i}]`;
    for (const difference of found) differences.push({ name, ...difference });
  });
  return { passed: cases.length - failed, failed, differences };
}

function checkCase(
  vector: unknown,
  check: CheckCase,
  semantics: SemanticsProfile,
): readonly CaseDifference[] {
  try {
    return check(vector, semantics);
  } catch (error) {
    return [problem(error)];
  }
}

/** Whatever goes wrong in one case must not hide the others. */
function problem(error: unknown): CaseDifference {
  if (error instanceof VectorError)
    return { path: error.path, expected: "a field of the format", actual: error.message };
  return differ("", "a result", error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}
