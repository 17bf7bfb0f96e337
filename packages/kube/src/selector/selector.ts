import { printRequirement, type Requirement, requirementMatches } from "./requirement.ts";

/** A choice of objects by their labels; all requirements must hold. */
export interface Selector {
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
  /** Sorted by key. Empty for "everything", and for "nothing", which matches() tells apart. */
  readonly requirements: readonly Requirement[];
  /** The canonical text, such as "a=b,c in (x,y),!d"; "" for everything and for nothing. */
  toString(): string;
}

const noLabels: Readonly<Record<string, string>> = {};

/** Selects what meets all the requirements, everything when there are none. */
export function selectorOf(requirements: readonly Requirement[]): Selector {
  const sorted = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const text = sorted.map(printRequirement).join(",");
  return {
    requirements: sorted,
    matches: (labels) => sorted.every((requirement) => requirementMatches(requirement, labels ?? noLabels)),
    toString: () => text,
  };
}

export const nothing: Selector = { requirements: [], matches: () => false, toString: () => "" };
