// The file of results: one entry for each goal, the newest. docs/performance.md has its tables from there.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type GoalResult, goalIds } from "./result.ts";

export function readResults(file: string): readonly GoalResult[] {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly GoalResult[]) : [];
}

/** Replaces the goals that were measured, and keeps the others. */
export function storeResults(file: string, measured: readonly GoalResult[]): void {
  const all = new Map([...readResults(file), ...measured].map((one) => [one.id, one]));
  const sorted = goalIds.flatMap((id) => all.get(id) ?? []);
  writeFileSync(file, `${JSON.stringify(sorted, undefined, 2)}\n`);
}
