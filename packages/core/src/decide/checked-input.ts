// Checks the input of `decide`, for callers without a type checker.
import { invalid, type Problem } from "../objects/api/validate/problem.ts";
import type { DecideInput } from "../objects/decision.ts";
import { defaultOptions } from "../objects/options.ts";
import { fieldsOf, membersOf } from "../values/fields.ts";
import { essentialProblems, isNumber, problemText, wrong } from "./refuse.ts";
import { samplesProblems } from "./samples-problems.ts";

const maxListed = 20;

/** The input is not one that `decide` can take: a mistake of the program that made it. */
export class DecideInputError extends TypeError {
  override readonly name = "DecideInputError";
  /** Everything that is wrong, each with its path. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const lines = problems.slice(0, maxListed).map(problemText);
    const more = problems.length > maxListed ? [`and ${problems.length - maxListed} more`] : [];
    super(`invalid input for decide:\n${[...lines, ...more].join("\n")}`);
    this.problems = problems;
  }
}

/**
 * The same input, for callers without a type checker or with data from elsewhere: `decide(checkedDecideInput(data))`.
 * What a cluster may hold is not checked, since failed readings are part of a decision; see `validateHpa`.
 *
 * @throws DecideInputError with every path, value and remedy.
 */
export function checkedDecideInput(input: unknown): DecideInput {
  const fields = fieldsOf(input);
  const problems = [
    ...essentialProblems(fields as object as DecideInput),
    ...scaleProblems(fields["scale"]),
    ...readingProblems("pods", fields["pods"]),
    ...samplesProblems(fields["samples"]),
    ...unknownOptions(fields["options"]),
  ];
  if (problems.length > 0) throw new DecideInputError(problems);
  return input as DecideInput;
}

function scaleProblems(scale: unknown): readonly Problem[] {
  const { ok, specReplicas, statusReplicas, selector, message } = fieldsOf(scale);
  if (ok === false) return textProblem("scale.message", message);
  if (ok !== true) return [wrong("scale.ok", ok, "true or false")];
  return [
    ...numberProblem("scale.specReplicas", specReplicas),
    ...numberProblem("scale.statusReplicas", statusReplicas),
    ...textProblem("scale.selector", selector),
  ];
}

function readingProblems(path: string, reading: unknown): readonly Problem[] {
  const { ok, pods, message } = fieldsOf(reading);
  if (ok === false) return textProblem(`${path}.message`, message);
  if (ok !== true) return [wrong(`${path}.ok`, ok, "true or false")];
  return Array.isArray(pods) ? [] : [wrong(`${path}.pods`, pods, "a list of pods")];
}

function numberProblem(path: string, value: unknown): readonly Problem[] {
  return isNumber(value) ? [] : [wrong(path, value, "a number")];
}

function textProblem(path: string, value: unknown): readonly Problem[] {
  return typeof value === "string" ? [] : [wrong(path, value, "text")];
}

function unknownOptions(options: unknown): readonly Problem[] {
  const names = Object.keys(defaultOptions);
  return membersOf(options).flatMap(([key, value]) =>
    names.includes(key) ? [] : [invalid(`options.${key}`, value, `unknown option; use ${names.join(", ")}`)],
  );
}
