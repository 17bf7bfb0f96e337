import { labelKeyProblems, labelValueProblems } from "./label-syntax.ts";

/** How a requirement compares; "==" is read as "=". */
export type Operator = "=" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

/** One condition on one label. */
export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  /** Sorted, each once; empty for "exists" and "!". */
  readonly values: readonly string[];
}

/**
 * A requirement that was checked, or what is wrong with it in upstream's words. At most `maxProblems` are named: a
 * message that names more is many times as long as the selector.
 *
 * @upstream apimachinery/pkg/labels/selector.go#NewRequirement
 */
export function checkRequirement(
  key: string,
  operator: Operator,
  values: readonly string[],
  maxProblems = Number.POSITIVE_INFINITY,
): Requirement | string {
  const keyProblems = labelKeyProblems(key);
  const problems = new Set<string>();
  if (keyProblems.length > 0) problems.add(invalid("key", key, keyProblems.join("; ")));
  for (const problem of valuesProblems(operator, values)) problems.add(problem);
  for (const [i, value] of values.entries()) {
    if (problems.size >= maxProblems) break;
    const found = labelValueProblems(value);
    if (found.length > 0) problems.add(invalid(`values[${i}][${key}]`, value, found.join("; ")));
  }
  const [first] = problems;
  if (first === undefined) return { key, operator, values: [...new Set(values)].sort() };
  return problems.size === 1 ? first : `[${[...problems].join(", ")}]`;
}

function valuesProblems(operator: Operator, values: readonly string[]): readonly string[] {
  const complain = (detail: string) => [`values: Invalid value: ${goList(values)}: ${detail}`];
  switch (operator) {
    case "in":
    case "notin":
      return values.length === 0 ? complain("for 'in', 'notin' operators, values set can't be empty") : [];
    case "=":
    case "!=":
      return values.length === 1 ? [] : complain("exact-match compatibility requires one single value");
    case "exists":
    case "!":
      return values.length === 0 ? [] : complain("values set must be empty for exists and does not exist");
    case "gt":
    case "lt":
      return values.length === 1
        ? integerProblems(values)
        : complain("for 'Gt', 'Lt' operators, exactly one value is required");
  }
}

function integerProblems([value = ""]: readonly string[]): readonly string[] {
  return toInt64(value) === undefined
    ? [invalid("values[0]", value, "for 'Gt', 'Lt' operators, the value must be an integer")]
    : [];
}

/** The text as Go's ParseInt reads it into 64 bits. */
export function toInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,100}$/.test(text)) return undefined;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** A nil list prints as null; the only empty lists that reach this are nil. */
function goList(values: readonly string[]): string {
  return values.length === 0 ? "null" : JSON.stringify(values);
}

/** An error about a field, as upstream prints it. */
export function invalid(field: string, value: string, detail: string): string {
  return `${field}: Invalid value: ${JSON.stringify(value)}: ${detail}`;
}
