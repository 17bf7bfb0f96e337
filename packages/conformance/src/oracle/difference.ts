import { groupBy } from "./group.ts";
import type { VectorCase, VectorFile } from "./vector-file.ts";

/** One place where our answer is not upstream's. */
export interface Difference {
  /** Of the case in its file. */
  readonly name: string;
  /** Such as `expect.replicas` or `steps[3].expect.conditions[0].reason`. */
  readonly path: string;
  readonly expected: string;
  readonly actual: string;
}

/** Runs a file of answered cases through our own code. */
export type Check = (file: VectorFile) => readonly Difference[];

export interface Mismatch {
  readonly answered: VectorCase;
  readonly differences: readonly [Difference, ...Difference[]];
}

/** What a difference is about, without its position: equal for two sights of one defect. */
export function signature(differences: readonly Difference[]): string {
  return (differences[0]?.path ?? "").replaceAll(/\d+/g, "N").replaceAll(/\[[^\]]*\]/g, "[]");
}

export function mismatchesIn(file: VectorFile, check: Check): readonly Mismatch[] {
  const byName = groupBy(check(file), (difference) => difference.name);
  return file.cases.flatMap((answered) => {
    const [first, ...rest] = byName.get(answered.name) ?? [];
    return first === undefined ? [] : [{ answered, differences: [first, ...rest] as const }];
  });
}
