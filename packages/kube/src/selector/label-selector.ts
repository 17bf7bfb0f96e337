import { newRequirement, type Operator, type Requirement, SelectorError } from "./requirement.ts";
import { nothing, type Selector, selectorOf } from "./selector.ts";

/** A label selector as API objects hold it. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly {
        readonly key: string;
        readonly operator: string;
        readonly values?: readonly string[] | null | undefined;
      }[]
    | undefined;
}

const operators = new Map<string, Operator>([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/**
 * None selects nothing, an empty one everything. Throws SelectorError.
 * @upstream apimachinery/pkg/apis/meta/v1/helpers.go#LabelSelectorAsSelector
 */
export function labelSelector(source: LabelSelector | null | undefined): Selector {
  if (source === undefined || source === null) return nothing;
  const requirements: Requirement[] = Object.entries(source.matchLabels ?? {}).map(([key, value]) =>
    newRequirement(key, "=", [value]),
  );
  for (const expression of source.matchExpressions ?? []) {
    const operator = operators.get(expression.operator);
    if (operator === undefined) {
      throw new SelectorError(
        `${JSON.stringify(expression.operator)} is not a valid label selector operator`,
      );
    }
    requirements.push(newRequirement(expression.key, operator, expression.values ?? []));
  }
  return selectorOf(requirements);
}
