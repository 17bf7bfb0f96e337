// Matches labels against selectors.
import { type Requirement, toInt64 } from "./requirement.ts";

/** What all requirements together say of one label. */
type KeyRule = ReturnType<typeof newRule>;

/**
 * Whether labels meet all requirements, in as many steps as there are labels, however many requirements there are:
 * callers choose these.
 *
 * @upstream apimachinery/pkg/labels/selector.go#Requirement.Matches
 */
export function matcherOf(
  requirements: readonly Requirement[],
): (labels: Readonly<Record<string, string>>) => boolean {
  const keys = new Set(requirements.map(({ key }) => key));
  if (keys.size === requirements.length && requirements.every(({ operator }) => operator === "="))
    return equalityMatcher(requirements.map(({ key, values: [value = ""] }) => [key, value]));
  const rules = new Map<string, KeyRule>();
  for (const requirement of requirements) {
    const rule = rules.get(requirement.key) ?? newRule();
    rules.set(requirement.key, rule);
    addTo(rule, requirement);
  }
  const required = [...rules].filter(([, { isRequired }]) => isRequired);
  const others = new Map([...rules].filter(([, { isRequired }]) => !isRequired));
  return (labels) => {
    for (const [key, rule] of required) {
      const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
      if (value === undefined || !admits(rule, value)) return false;
    }
    if (others.size === 0) return true;
    for (const key of Object.keys(labels)) {
      const rule = others.get(key);
      if (rule !== undefined && !admits(rule, labels[key] ?? "")) return false;
    }
    return true;
  };
}

/** What nearly all selectors are: thousands are kept, without the sets of a rule. */
function equalityMatcher(
  pairs: readonly (readonly [key: string, value: string])[],
): (labels: Readonly<Record<string, string>>) => boolean {
  return (labels) => {
    for (const [key, value] of pairs) if (!Object.hasOwn(labels, key) || labels[key] !== value) return false;
    return true;
  };
}

function newRule() {
  return {
    isRequired: false,
    isForbidden: false,
    /** Undefined: every value. */
    allowed: undefined as ReadonlySet<string> | undefined,
    denied: new Set<string>(),
    above: undefined as bigint | undefined,
    below: undefined as bigint | undefined,
  };
}

function addTo(rule: KeyRule, { operator, values }: Requirement): void {
  switch (operator) {
    case "!":
      rule.isForbidden = true;
      return;
    case "!=":
    case "notin":
      for (const value of values) rule.denied.add(value);
      return;
    case "=":
    case "in": {
      const { allowed } = rule;
      rule.allowed = new Set(allowed === undefined ? values : values.filter((value) => allowed.has(value)));
      break;
    }
    case "gt":
      rule.above = largest(rule.above, values);
      break;
    case "lt":
      rule.below = smallest(rule.below, values);
      break;
    case "exists":
      break;
  }
  rule.isRequired = true;
}

function admits({ isForbidden, allowed, denied, above, below }: KeyRule, value: string): boolean {
  if (isForbidden || denied.has(value) || allowed?.has(value) === false) return false;
  if (above === undefined && below === undefined) return true;
  const number = toInt64(value);
  return (
    number !== undefined && (above === undefined || number > above) && (below === undefined || number < below)
  );
}

function largest(known: bigint | undefined, [text = ""]: readonly string[]): bigint {
  const bound = toInt64(text) ?? beyond;
  return known === undefined || bound > known ? bound : known;
}

function smallest(known: bigint | undefined, [text = ""]: readonly string[]): bigint {
  const bound = toInt64(text) ?? -beyond;
  return known === undefined || bound < known ? bound : known;
}

/** No label is above it, or below its negative: nothing compares with what is not an integer. */
const beyond = 2n ** 64n;
