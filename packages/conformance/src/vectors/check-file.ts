// Checks one vector file, case by case.
import type { SemanticsProfile } from "@plimsoll/core";
import { type Fields, isFields } from "@plimsoll/core/internal/values";
import { type CaseDifference, type Difference, differ } from "./difference.ts";
import type { VectorKind } from "./kinds/kind.ts";
import { checkRecords } from "./kinds/record.ts";
import { vectorKinds } from "./kinds/table.ts";
import { VectorError } from "./read.ts";
import { readVectorFile, recordsFile, type VectorFile } from "./vector-file.ts";

export interface FileResult {
  readonly passed: number;
  readonly failed: number;
  /** Cases of which the implementation says that it cannot decide them. */
  readonly skipped: number;
  readonly differences: readonly Difference[];
}

/** Who is asked: a question and the profile, in; the answer, or why there is none, out. Rejects otherwise. */
export interface Implementation {
  answer(
    kind: string,
    semantics: SemanticsProfile,
    question: Fields,
  ): Promise<{ readonly answer: Fields } | { readonly unsupported: string } | { readonly failure: string }>;
}

/** Runs the parsed content of one vector file, or of a decision record, against `@plimsoll/core`. */
export function checkVectorFile(content: unknown): FileResult {
  try {
    return checkFile(readVectorFile(content));
  } catch (error) {
    return failedFile(problem(error));
  }
}

/** Runs decision records. */
export function checkRecordList(records: readonly unknown[]): FileResult {
  return checkFile(recordsFile(records));
}

function checkFile({ kind, semantics, cases }: VectorFile): FileResult {
  const found = vectorKinds.get(kind);
  const check =
    found === undefined
      ? checkRecords
      : (vector: unknown) => {
          const asked = found.question(vector as Fields);
          return found.compare(vector as Fields, found.answer(asked, semantics));
        };
  return resultOf(cases, (vector) => {
    try {
      return check(vector);
    } catch (error) {
      return [problem(error)];
    }
  });
}

/** Runs the parsed content of one vector file against an implementation, which is not asked for decision records. */
export async function askVectorFile(content: unknown, implementation: Implementation): Promise<FileResult> {
  let file: VectorFile;
  try {
    file = readVectorFile(content);
  } catch (error) {
    return failedFile(problem(error));
  }
  const kind = vectorKinds.get(file.kind);
  if (kind === undefined) return skipAll(file);
  const found: CaseOutcome[] = [];
  for (const vector of file.cases) found.push(await askCase(vector, kind, file, implementation));
  return resultOf(file.cases, (_, i) => found[i] ?? []);
}

type CaseOutcome = readonly CaseDifference[] | "skipped";

async function askCase(
  vector: unknown,
  kind: VectorKind,
  file: VectorFile,
  implementation: Implementation,
): Promise<CaseOutcome> {
  try {
    const asked = kind.question(vector as Fields);
    const response = await implementation.answer(file.kind, file.semantics, asked);
    if ("unsupported" in response) return "skipped";
    if ("failure" in response) return [differ("", "a result", response.failure)];
    return kind.compare(vector as Fields, response.answer);
  } catch (error) {
    return [problem(error)];
  }
}

/** Records hold what this project decided, in its own form. */
function skipAll({ cases }: VectorFile): FileResult {
  return { passed: 0, failed: 0, skipped: cases.length, differences: [] };
}

function resultOf(
  cases: readonly unknown[],
  outcomeOf: (vector: unknown, index: number) => CaseOutcome,
): FileResult {
  const differences: Difference[] = [];
  let failed = 0;
  let skipped = 0;
  cases.forEach((vector, i) => {
    const outcome = outcomeOf(vector, i);
    if (outcome === "skipped") skipped += 1;
    else if (outcome.length > 0) failed += 1;
    const named = isFields(vector) ? vector["name"] : undefined;
    const name = typeof named === "string" ? named : `cases[${i}]`;
    if (outcome !== "skipped") differences.push(...outcome.map((difference) => ({ name, ...difference })));
  });
  return { passed: cases.length - failed - skipped, failed, skipped, differences };
}

/** Of a file that cannot be run at all. */
export function failedFile(difference: CaseDifference): FileResult {
  return { passed: 0, failed: 1, skipped: 0, differences: [{ name: "", ...difference }] };
}

/** Whatever goes wrong in one case must not hide the others. */
function problem(error: unknown): CaseDifference {
  if (error instanceof VectorError)
    return { path: error.path, expected: "a field of the format", actual: error.message };
  return differ("", "a result", error instanceof Error ? `${error.name}: ${error.message}` : String(error));
}
