// Limits steps and output of a template.
import { CallError, TemplateError } from "./error.ts";
import { isList, isMap, type Value } from "./values.ts";

/** Of any query that is one, by far. Loops within loops would never end. */
const MAX_STEPS = 100_000;
/** Of the output, and of each text on the way to it. */
const MAX_TEXT = 256 * 1024;
/** What is as much work as one step. */
const OPERANDS_A_STEP = 16;
const VARIABLES_A_STEP = 64;
const CHARACTERS_A_STEP = 64;

/** What a rendering has cost. Everything is counted before it is done, so that nothing is made only to be refused. */
export interface Budget {
  readonly text: string;
  steps: number;
}

export function countSteps(budget: Budget, steps: number, offset: number): void {
  budget.steps += steps;
  if (budget.steps <= MAX_STEPS) return;
  throw new TemplateError(`more than ${MAX_STEPS} steps`, budget.text, offset);
}

/** A variable is looked for among those that can be seen. */
export function countOperand(budget: Budget, variables: number, offset: number): void {
  countSteps(budget, 1 / OPERANDS_A_STEP + variables / VARIABLES_A_STEP, offset);
}

/** Long texts are more work than short ones, and functions that print read lists and maps as well. */
export function countCall(budget: Budget, name: string, args: readonly Value[], offset: number): void {
  const prints = name.startsWith("print");
  let characters = 0;
  for (const value of args) if (prints || typeof value === "string") characters += sizeOf(value);
  countSteps(budget, characters / CHARACTERS_A_STEP, offset);
}

export function requireOutput(budget: Budget, length: number): void {
  if (length <= MAX_TEXT) return;
  throw new TemplateError(`more than ${MAX_TEXT} characters of output`, budget.text, 0);
}

/** @throws CallError when a text would be longer than any query. */
export function requireText(length: number): void {
  if (length > MAX_TEXT) throw new CallError(`more than ${MAX_TEXT} characters of text`);
}

const LONGEST_NUMBER = 20;

/** At most so many characters when it is printed plainly. */
export function sizeOf(value: Value): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object") return LONGEST_NUMBER;
  const entries: readonly (readonly [unknown, Value])[] = isList(value)
    ? value.map((item) => ["", item])
    : [...(isMap(value) ? value : value.fields)];
  return entries.reduce((size, [key, item]) => size + String(key).length + sizeOf(item) + 2, 6);
}
