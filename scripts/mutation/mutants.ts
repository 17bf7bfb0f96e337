// Which mutants count, and how each is named.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Mutant } from "@stryker-mutator/api/core";
import { type Equivalent, equivalents } from "./equivalents.ts";
import type { Sample } from "./scope.ts";

/** A seed draws the same mutants each time, as long as their lines stay the same. */
export function isDrawn(mutant: Mutant, sample: Sample | undefined): boolean {
  if (sample === undefined) return true;
  const { fileName, location, mutatorName, replacement } = mutant;
  const [start, end] = [location.start, location.end].map(({ line, column }) => ({ line, column }));
  const what = [sample.seed, relative(process.cwd(), fileName), start, end, mutatorName, replacement];
  const drawn = createHash("sha256").update(JSON.stringify(what)).digest().readUInt32BE();
  return drawn < (sample.percent / 100) * 2 ** 32;
}

/** Checkers and instrumenters have positions that count from 0, reports those that count from 1. */
export function fromOne(mutant: Mutant): Mutant {
  const next = ({ line, column }: Mutant["location"]["start"]) => ({ line: line + 1, column: column + 1 });
  const { start, end } = mutant.location;
  return { ...mutant, location: { start: next(start), end: next(end) } };
}

/** The entry of the list that names this mutant. */
export function equivalentOf(mutant: Mutant): Equivalent | undefined {
  const { file, line, code } = placeOf(mutant);
  const isIt = (one: Equivalent) =>
    one.file === file && one.line === line && one.code === code && one.becomes === mutant.replacement;
  return equivalents.find(isIt);
}

/** Where it is, the code, what it becomes, and the line that has it. */
export function describe(mutant: Mutant): string {
  const { file, line, code } = placeOf(mutant);
  const { start } = mutant.location;
  const becomes = mutant.replacement.replaceAll(/\s+/g, " ").slice(0, 80);
  return `${file}:${start.line}:${start.column}  ${code}  →  ${becomes}${code === line ? "" : `  in  ${line}`}`;
}

/** Positions count from 1. */
function placeOf({ fileName, location }: Mutant) {
  const { start, end } = location;
  const text = readFileSync(fileName, "utf8").split("\n")[start.line - 1] ?? "";
  const code = text.slice(start.column - 1, end.line === start.line ? end.column - 1 : undefined);
  return { file: relative(process.cwd(), fileName), line: text.trim(), code };
}
