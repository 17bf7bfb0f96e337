// Formats validation problems as one message.
import type { Problem } from "./problem.ts";

/** So many entries of a list are named; the others are counted. */
export const maxListed = 5;
const maxValueLength = 100;
/** With it the text fits an event, whose message ends at 1,024 characters. */
const maxLength = 1000;

/** The problems of an object in one line, short however many there are and whatever the object says. */
export function problemsText(problems: readonly Pick<Problem, "path" | "value" | "message">[]): string {
  return shortened(problems.slice(0, maxListed).map(problemText), problems.length);
}

/** The first texts of a list, in one line. */
export function shortened(texts: readonly string[], count: number): string {
  const shown = texts.slice(0, maxListed).join("; ");
  const more = count - maxListed;
  const text = more > 0 ? `${shown}; and ${more} more` : shown;
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

function problemText({ path, value, message }: Pick<Problem, "path" | "value" | "message">): string {
  const text = message === "" ? "required" : message;
  return isPlain(value) ? `${path}: ${plainText(value)}: ${text}` : `${path}: ${text}`;
}

function isPlain(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function plainText(value: string | number | boolean): string {
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value);
}
