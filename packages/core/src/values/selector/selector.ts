import { type LabelSelector, labelRequirements } from "./label-selector.ts";
import { matcherOf } from "./match.ts";
import { parseRequirements } from "./parse.ts";
import type { Requirement } from "./requirement.ts";

/** A choice of objects by their labels; all requirements must hold. */
export interface Selector {
  matches(labels: Readonly<Record<string, string>> | undefined): boolean;
  /** Sorted by key. Empty for "everything", and for "nothing", which differ in matches(). */
  readonly requirements: readonly Requirement[];
  /** The canonical text, such as "a=b,c in (x,y),!d"; "" for everything and for nothing. */
  toString(): string;
}

/** A selector that cannot be read or makes no sense; the message is the one that Kubernetes gives. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
}

export const noLabels: Readonly<Record<string, string>> = {};
/** Callers choose selectors: an error must not be much longer than what they sent. */
const maxProblems = 10;

/**
 * Reads a label selector such as "app=shop,tier in (a,b),!canary". "" selects everything.
 *
 * @throws SelectorError in the words of Kubernetes.
 * @upstream apimachinery/pkg/labels/selector.go#Parse
 */
export function parseSelector(text: string): Selector {
  return selectorOrThrow(parseRequirements(text, maxProblems));
}

/**
 * A label selector as API objects have it. None selects nothing, an empty one everything.
 *
 * @throws SelectorError in the words of Kubernetes.
 * @upstream apimachinery/pkg/apis/meta/v1/helpers.go#LabelSelectorAsSelector
 */
export function labelSelector(source: LabelSelector | null | undefined): Selector {
  if (source === undefined || source === null) return nothing;
  return selectorOrThrow(labelRequirements(source, maxProblems));
}

function selectorOrThrow(requirements: readonly Requirement[] | string): Selector {
  if (typeof requirements === "string") throw new SelectorError(requirements);
  return selectorOf(requirements);
}

/** Selects what meets all the requirements, everything when there are none. */
function selectorOf(requirements: readonly Requirement[]): Selector {
  const sorted = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const text = sorted.map(printRequirement).join(",");
  let matches: ReturnType<typeof matcherOf> | undefined;
  return {
    requirements: sorted,
    matches(labels) {
      matches ??= matcherOf(sorted);
      return matches(labels ?? noLabels);
    },
    toString: () => text,
  };
}

const nothing: Selector = { requirements: [], matches: () => false, toString: () => "" };

/** @upstream apimachinery/pkg/labels/selector.go#Requirement.String */
function printRequirement({ key, operator, values }: Requirement): string {
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    case "gt":
      return `${key}>${values.join(",")}`;
    case "lt":
      return `${key}<${values.join(",")}`;
    case "=":
    case "!=":
      return `${key}${operator}${values.join(",")}`;
  }
}
