import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { checkRecordList, checkVectorFile, type FileResult } from "./check-file.ts";

/** All vector files under a path: itself, or every .json and .jsonl file in the folder and below, by name. */
export async function findVectorFiles(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Reads and runs one file; a file that cannot be read is one failure. A .jsonl file has a decision record a line. */
export async function runVectorFile(path: string): Promise<FileResult> {
  try {
    const text = await readFile(path, "utf8");
    if (!path.endsWith(".jsonl")) return checkVectorFile(JSON.parse(text));
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    return checkRecordList(lines.map((line): unknown => JSON.parse(line)));
  } catch (error) {
    return unreadable(error);
  }
}

function unreadable(error: unknown): FileResult {
  const actual = error instanceof Error ? error.message : String(error);
  return { passed: 0, failed: 1, differences: [{ name: "", path: "", expected: "a readable file", actual }] };
}

/** Runs every file under the given paths, printing a block for each mismatch and the totals last. */
export async function runVectors(
  paths: readonly string[],
  print: (text: string) => void,
): Promise<{ readonly passed: number; readonly failed: number }> {
  const total = { passed: 0, failed: 0 };
  const take = (file: string, result: FileResult) => {
    total.passed += result.passed;
    total.failed += result.failed;
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
    for (const file of files) take(file, await runVectorFile(file));
  }
  print(`${total.passed} passed, ${total.failed} failed`);
  return total;
}
