import { labelKeyProblems, labelValueProblems } from "./label-syntax.ts";

export type Operator = "=" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** One condition on one label. */
export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  /** Sorted, each once; empty for "exists" and "!". */
  readonly values: readonly string[];
}

/** A selector that cannot be read or makes no sense; the message is the one that Kubernetes gives. */
export class SelectorError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SelectorError";
  }
}

/**
 * A requirement that was checked; throws SelectorError with all that is wrong with it.
 * @upstream apimachinery/pkg/labels/selector.go#NewRequirement
 */
export function newRequirement(key: string, operator: Operator, values: readonly string[]): Requirement {
  const problems = new Set<string>();
  const keyProblems = labelKeyProblems(key);
  if (keyProblems.length > 0) problems.add(invalid("key", key, keyProblems.join("; ")));
  const amiss = valuesProblem(operator, values);
  if (amiss !== undefined) problems.add(invalid("values", values, amiss));
  if (operator === "gt" || operator === "lt") {
    for (const [index, text] of values.entries()) {
      if (toInt64(text) === undefined) {
        problems.add(
          invalid(`values[${String(index)}]`, text, "for 'Gt', 'Lt' operators, the value must be an integer"),
        );
      }
    }
  }
  for (const [index, text] of values.entries()) {
    const wrong = labelValueProblems(text);
    if (wrong.length > 0) problems.add(invalid(`values[${String(index)}][${key}]`, text, wrong.join("; ")));
  }
  if (problems.size === 1) throw new SelectorError([...problems].join(""));
  if (problems.size > 1) throw new SelectorError(`[${[...problems].join(", ")}]`);
  return { key, operator, values: [...new Set(values)].sort() };
}

function valuesProblem(operator: Operator, values: readonly string[]): string | undefined {
  switch (operator) {
    case "in":
    case "notin":
      return values.length > 0 ? undefined : "for 'in', 'notin' operators, values set can't be empty";
    case "=":
    case "!=":
      return values.length === 1 ? undefined : "exact-match compatibility requires one single value";
    case "exists":
    case "!":
      return values.length === 0 ? undefined : "values set must be empty for exists and does not exist";
    case "gt":
    case "lt":
      return values.length === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

/** A field error in the words of Kubernetes. */
export function invalid(path: string, value: string | readonly string[], detail: string): string {
  return `${path}: Invalid value: ${JSON.stringify(value)}: ${detail}`;
}

/** @upstream apimachinery/pkg/labels/selector.go#Requirement.Matches */
export function requirementMatches(
  { key, operator, values }: Requirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const label = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "=":
    case "in":
      return label !== undefined && values.includes(label);
    case "!=":
    case "notin":
      return label === undefined || !values.includes(label);
    case "exists":
      return label !== undefined;
    case "!":
      return label === undefined;
    case "gt":
    case "lt": {
      const left = label === undefined ? undefined : toInt64(label);
      const right = toInt64(values[0] ?? "");
      if (left === undefined || right === undefined) return false;
      return operator === "gt" ? left > right : left < right;
    }
  }
}

/** @upstream apimachinery/pkg/labels/selector.go#Requirement.String */
export function printRequirement({ key, operator, values }: Requirement): string {
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

function toInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const parsed = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, parsed) === parsed ? parsed : undefined;
}
