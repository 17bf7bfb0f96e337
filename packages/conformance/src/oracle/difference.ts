// Finds the cases of a file in which core and upstream differ.
import type { Difference } from "../vectors/difference.ts";
import { groupBy } from "./group.ts";
import type { VectorCase, VectorFile } from "./vector-file.ts";

/** Runs a file of evaluated cases through our own code. */
export type Check = (file: VectorFile) => readonly Difference[];

export interface Mismatch {
  readonly evaluated: VectorCase;
  readonly differences: readonly [Difference, ...Difference[]];
}

/** What a difference is about, without its position: equal for two examples of one defect. */
export function signature(differences: readonly Difference[]): string {
  return (differences[0]?.path ?? "").replaceAll(/\d+/g, "N").replaceAll(/\[[^\]]*\]/g, "[]");
}

export function mismatchesIn(file: VectorFile, check: Check): readonly Mismatch[] {
  const found = check(file);
  // What concerns no case concerns the file: that is our own mistake, not a mismatch.
  const ofFile = found.find((difference) => difference.name === "");
  if (ofFile !== undefined) throw new Error(`${ofFile.path}: ${ofFile.actual}`);
  const byName = groupBy(found, (difference) => difference.name);
  return file.cases.flatMap((evaluated) => {
    const [first, ...rest] = byName.get(evaluated.name) ?? [];
    return first === undefined ? [] : [{ evaluated, differences: [first, ...rest] as const }];
  });
}
