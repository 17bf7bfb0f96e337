import type { LabelSelector } from "../spec/object-meta.ts";
import { textOf } from "../spec/text.ts";
import { requirementProblem } from "./requirement.ts";

const operators: ReadonlyMap<string, string> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/**
 * The error of turning a metric's label selector into a selector; undefined when it is sound.
 *
 * @upstream apimachinery/pkg/apis/meta/v1/helpers.go#LabelSelectorAsSelector
 */
export function selectorProblem(selector: LabelSelector | null | undefined): string | undefined {
  if (selector === undefined || selector === null) return undefined;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    const problem = requirementProblem(key, "=", [textOf(value)]);
    if (problem !== undefined) return problem;
  }
  for (const expression of selector.matchExpressions ?? []) {
    const operator = operators.get(expression?.operator);
    if (operator === undefined) {
      return `${JSON.stringify(expression?.operator ?? "")} is not a valid label selector operator`;
    }
    const problem = requirementProblem(textOf(expression.key), operator, expression.values ?? []);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
