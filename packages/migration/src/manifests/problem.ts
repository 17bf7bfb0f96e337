// A problem of a conversion, and its line of text.
import { printable } from "@plimsoll/component-base/text";
import type { Remark } from "@plimsoll/core/internal/values";

/** A problem of a conversion: where it is, and what to do about it. */
export interface ConvertProblem extends Remark {
  readonly file: string;
  /** From 1, as they follow each other in the file. */
  readonly document: number;
  readonly line: number;
  readonly column: number;
}

const maxValueLength = 80;

/** One line: "hpa.yaml:12:16: document 2: spec.maxReplicas 0 must be greater than 0: …". */
export function problemText(problem: ConvertProblem): string {
  const { file, line, column, document, path, value, message, remedy } = problem;
  const shown = value === undefined ? "" : ` ${cut(JSON.stringify(value))}`;
  const subject = `${path}${shown}`.trim();
  const what = subject === "" ? message : `${subject} ${message}`;
  return printable(`${file}:${line}:${column}: document ${document}: ${what}: ${remedy}`);
}

function cut(text: string): string {
  return text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text;
}
