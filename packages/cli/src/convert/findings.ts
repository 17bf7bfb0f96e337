// Collects what a converter finds in one object.
import type { Finding } from "./source.ts";

/** What is said of an object while it is read, in the order of reading. */
export interface Findings {
  readonly notes: readonly Finding[];
  readonly problems: readonly Finding[];
  /** What is lost or differs, and stops nothing. */
  note(finding: Finding): void;
  /** What makes the object impossible to convert. */
  problem(finding: Finding): void;
}

export function createFindings(): Findings {
  const notes: Finding[] = [];
  const problems: Finding[] = [];
  return {
    notes,
    problems,
    note: (finding) => void notes.push(finding),
    problem: (finding) => void problems.push(finding),
  };
}
