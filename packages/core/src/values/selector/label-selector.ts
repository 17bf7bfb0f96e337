// Reads the label selectors of API objects.
import { textOf } from "../fields.ts";
import { checkRequirement, type Operator, type Requirement } from "./requirement.ts";

/** metav1.LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly LabelSelectorRequirement[] | undefined;
}

/** One of matchExpressions. */
export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null | undefined;
}

const operators: ReadonlyMap<string, Operator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/**
 * The requirements of a label selector of an API object, or its first problem in upstream's words.
 *
 * @upstream apimachinery/pkg/apis/meta/v1/helpers.go#LabelSelectorAsSelector
 */
export function labelRequirements(
  { matchLabels, matchExpressions }: LabelSelector,
  maxProblems?: number,
): readonly Requirement[] | string {
  const requirements: Requirement[] = [];
  for (const [key, value] of Object.entries(matchLabels ?? {})) {
    const requirement = checkRequirement(key, "=", [textOf(value)], maxProblems);
    if (typeof requirement === "string") return requirement;
    requirements.push(requirement);
  }
  for (const expression of matchExpressions ?? []) {
    const operator = operators.get(expression?.operator);
    if (operator === undefined)
      return `${JSON.stringify(expression?.operator ?? "")} is not a valid label selector operator`;
    const values = expression.values ?? [];
    const requirement = checkRequirement(textOf(expression.key), operator, values, maxProblems);
    if (typeof requirement === "string") return requirement;
    requirements.push(requirement);
  }
  return requirements;
}

/** The error of turning a metric's label selector into a selector; undefined when it is sound. */
export function selectorProblem(selector: LabelSelector | null | undefined): string | undefined {
  if (selector === undefined || selector === null) return undefined;
  const requirements = labelRequirements(selector);
  return typeof requirements === "string" ? requirements : undefined;
}
