// Collects what a converter finds in one object.
import type { Remark } from "@plimsoll/core/internal/values";

/** What is said of an object while it is read, in the order of reading. */
export interface Findings {
  readonly notes: readonly Remark[];
  readonly problems: readonly Remark[];
  /** What is lost or differs, and stops nothing. */
  note(finding: Remark): void;
  /** What makes the object impossible to convert. */
  problem(finding: Remark): void;
}

export function createFindings(): Findings {
  const notes: Remark[] = [];
  const problems: Remark[] = [];
  return {
    notes,
    problems,
    note: (finding) => void notes.push(finding),
    problem: (finding) => void problems.push(finding),
  };
}
