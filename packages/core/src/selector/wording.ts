import type { Semantics } from "../spec/semantics.ts";

/** A selector's error as the profile's release words it. */
export function wordSelectorProblem(problem: string | undefined, semantics: Semantics): string | undefined {
  if (semantics.selectorText === "current") return problem;
  return problem
    ?.replace("Invalid value: null:", "Invalid value: []string(nil):")
    .replace("a valid label key must", "a qualified name must");
}
