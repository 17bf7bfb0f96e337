import { labelKeyProblems, labelValueProblems } from "./label-syntax.ts";

/**
 * What is wrong with one requirement of a label selector, in upstream's words; undefined when it is sound.
 *
 * @upstream apimachinery/pkg/labels/selector.go#NewRequirement
 */
export function requirementProblem(
  key: string,
  operator: string,
  values: readonly string[],
): string | undefined {
  const problems: string[] = [];
  const keyProblems = labelKeyProblems(key);
  if (keyProblems.length > 0) problems.push(invalid("key", key, keyProblems.join("; ")));
  problems.push(...countProblems(operator, values));
  values.forEach((value, i) => {
    const found = labelValueProblems(value);
    if (found.length > 0) problems.push(invalid(`values[${i}][${key}]`, value, found.join("; ")));
  });
  return aggregate(problems);
}

function countProblems(operator: string, values: readonly string[]): readonly string[] {
  const complain = (detail: string) => [`values: Invalid value: ${goList(values)}: ${detail}`];
  switch (operator) {
    case "in":
    case "notin":
      return values.length === 0 ? complain("for 'in', 'notin' operators, values set can't be empty") : [];
    case "=":
    case "==":
    case "!=":
      return values.length === 1 ? [] : complain("exact-match compatibility requires one single value");
    case "exists":
    case "!":
      return values.length === 0 ? [] : complain("values set must be empty for exists and does not exist");
    default:
      return values.flatMap((value, i) =>
        isInt64(value)
          ? []
          : [invalid(`values[${i}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer")],
      );
  }
}

function isInt64(text: string): boolean {
  if (!/^[+-]?\d{1,30}$/.test(text)) return false;
  const value = BigInt(text.startsWith("+") ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value;
}

/** A nil list prints as null; the only empty lists that reach this are nil. */
function goList(values: readonly string[]): string {
  return values.length === 0 ? "null" : JSON.stringify(values);
}

/** An error about a field, as upstream prints it. */
export function invalid(field: string, value: string, detail: string): string {
  return `${field}: Invalid value: ${JSON.stringify(value)}: ${detail}`;
}

function aggregate(problems: readonly string[]): string | undefined {
  const distinct = [...new Set(problems)];
  return distinct.length <= 1 ? distinct[0] : `[${distinct.join(", ")}]`;
}
