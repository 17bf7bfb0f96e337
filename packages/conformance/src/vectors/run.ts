// Runs vector files and folders of them, and prints what differs.
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import {
  askVectorFile,
  checkRecordList,
  checkVectorFile,
  type FileResult,
  failedFile,
  type Implementation,
} from "./check-file.ts";

/** All vector files under a path: itself, or every .json and .jsonl file in the folder and below, by name. */
export async function findVectorFiles(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/**
 * Reads and runs one file, against `@plimsoll/core` unless another implementation is given; a file that cannot be read is one
 * failure. A .jsonl file has a decision record a line, for which no other implementation is asked.
 */
export async function runVectorFile(path: string, implementation?: Implementation): Promise<FileResult> {
  try {
    const text = await readFile(path, "utf8");
    if (!path.endsWith(".jsonl")) {
      const content: unknown = JSON.parse(text);
      return implementation === undefined
        ? checkVectorFile(content)
        : await askVectorFile(content, implementation);
    }
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    if (implementation === undefined) return checkRecordList(lines.map((line): unknown => JSON.parse(line)));
    return { passed: 0, failed: 0, skipped: lines.length, differences: [] };
  } catch (error) {
    return unreadable(error);
  }
}

function unreadable(error: unknown): FileResult {
  const actual = error instanceof Error ? error.message : String(error);
  return failedFile({ path: "", expected: "a readable file", actual });
}

/** How many cases there were of each outcome. */
export type Totals = Pick<FileResult, "passed" | "failed" | "skipped">;

/** Runs every file under the given paths, printing a block for each mismatch and the totals last. */
export async function runVectors(
  paths: readonly string[],
  print: (text: string) => void,
  implementation?: Implementation,
): Promise<Totals> {
  const total = { passed: 0, failed: 0, skipped: 0 };
  const take = (file: string, result: FileResult) => {
    total.passed += result.passed;
    total.failed += result.failed;
    total.skipped += result.skipped;
    for (const { name, path, expected, actual } of result.differences) {
      print(
        `${file}\n  case:     ${name}\n  path:     ${path}\n  expected: ${expected}\n  actual:   ${actual}\n`,
      );
    }
  };
  for (const path of paths) {
    let files: readonly string[];
    try {
      files = await findVectorFiles(path);
    } catch (error) {
      take(path, unreadable(error));
      continue;
    }
    for (const file of files) take(file, await runVectorFile(file, implementation));
  }
  const { passed, failed, skipped } = total;
  print(`${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}`);
  return total;
}
