import { textOf } from "../spec/text.ts";
import type { ScheduleProblem, ScheduleSpec } from "./spec.ts";

/** Collects what is wrong with one entry. */
export interface EntryReader {
  readonly name: string;
  readonly problems: readonly ScheduleProblem[];
  /** `path` within the entry. */
  problem(path: string, value: unknown, message: string, remedy: string): void;
}

export function entryReader(index: number, spec: ScheduleSpec): EntryReader {
  const name = textOf(spec.name);
  const problems: ScheduleProblem[] = [];
  return {
    name,
    problems,
    problem(path, value, message, remedy) {
      const shown = value === undefined ? {} : { value };
      problems.push({ index, name, path: `[${index}].${path}`, ...shown, message, remedy });
    },
  };
}
