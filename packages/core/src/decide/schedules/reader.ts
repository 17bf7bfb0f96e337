// Collects problems while a schedule entry is read.

import type { ScheduleProblem, ScheduleSpec } from "../../objects/schedules/spec.ts";
import { textOf } from "../../values/fields.ts";

/** Collects what is wrong with one entry. */
export interface EntryReader {
  readonly name: string;
  readonly problems: readonly ScheduleProblem[];
  /** One of the problems leaves the entry out. */
  readonly isLeftOut: boolean;
  /** `path` within the entry. */
  problem(path: string, value: unknown, message: string, remedy: string): void;
  /** The same of something that is ignored; the entry counts. */
  ignored(path: string, value: unknown, message: string, remedy: string): void;
}

/** Of one entry; the first say enough, and thousands of exclusions may have one each. */
const maxProblems = 10;

export function entryReader(index: number, spec: ScheduleSpec): EntryReader {
  const name = textOf(spec.name);
  const problems: ScheduleProblem[] = [];
  let isLeftOut = false;
  const ignored: EntryReader["ignored"] = (path, value, message, remedy) => {
    if (problems.length >= maxProblems) return;
    const shown = value === undefined ? {} : { value };
    problems.push({ index, name, path: `[${index}].${path}`, ...shown, message, remedy });
  };
  return {
    name,
    problems,
    get isLeftOut() {
      return isLeftOut;
    },
    problem(...about) {
      isLeftOut = true;
      ignored(...about);
    },
    ignored,
  };
}
