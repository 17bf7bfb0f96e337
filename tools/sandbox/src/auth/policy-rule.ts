// Rules of roles: what they allow, and which of them cover others.
import { getOrAdd } from "@plimsoll/component-base";
import { badRequest } from "../errors/status-error.ts";
import { recordsAt } from "../storage/json-value.ts";
import type { AccessAttributes } from "./access.ts";

/** A rule of a Role or ClusterRole; absent lists are empty. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

const lists = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"] as const;

/** The rules of a stored role; anything that isn't text is left out. */
export function rulesIn(role: unknown): readonly PolicyRule[] {
  return recordsAt(role, "rules").map((rule) => {
    const texts = (key: string): readonly string[] => {
      const list = rule[key];
      return Array.isArray(list) ? list.filter((text) => typeof text === "string") : [];
    };
    return Object.fromEntries(lists.map((key) => [key, texts(key)])) as unknown as PolicyRule;
  });
}

/** The rule as it is stored: without empty lists. */
export function storedRule(rule: PolicyRule): Record<string, readonly string[]> {
  return Object.fromEntries(
    lists.map((key) => [key, rule[key]] as const).filter(([, list]) => list.length > 0),
  );
}

/** @upstream kubernetes/plugin/pkg/auth/authorizer/rbac/rbac.go#RuleAllows */
export function ruleAllows(rule: PolicyRule, { verb, resource, path }: AccessAttributes): boolean {
  if (!has(rule.verbs, verb)) return false;
  if (resource === undefined)
    return rule.nonResourceURLs.some((url) => url === "*" || pathCovers(url, path ?? ""));
  const { resourceNames } = rule;
  return (
    has(rule.apiGroups, resource.group) &&
    rule.resources.some((one) => resourceMatches(one, resource)) &&
    (resourceNames.length === 0 || resourceNames.includes(resource.name))
  );
}

function resourceMatches(
  rule: string,
  { resource, subresource }: NonNullable<AccessAttributes["resource"]>,
): boolean {
  if (rule === "*") return true;
  if (subresource === "") return rule === resource;
  return rule === `${resource}/${subresource}` || rule === `*/${subresource}`;
}

function has(list: readonly string[], wanted: string): boolean {
  return list.includes("*") || list.includes(wanted);
}

function hasAll(list: readonly string[], wanted: readonly string[]): boolean {
  return list.includes("*") || wanted.every((one) => list.includes(one));
}

function pathCovers(owned: string, path: string): boolean {
  return owned === path || (owned.endsWith("*") && path.startsWith(owned.replace(/\*+$/, "")));
}

/** How many parts of rules are compared: lists of one rule multiply, and the API server answers nobody else meanwhile. */
const maxParts = 100_000;

/**
 * The smallest parts of rules that the owned ones don't cover; empty: all are covered.
 *
 * @throws StatusError for more parts than can be compared
 * @upstream kubernetes/staging/src/k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go#Covers
 */
export function uncovered(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  // What one rule covers needs no parts.
  const open = wanted.filter((rule) => !owned.some((one) => covers(one, rule)));
  const parts = open.reduce((sum, rule) => sum + countOf(rule), 0);
  if (parts > maxParts)
    throw badRequest(
      `the rules have ${parts} combinations of verbs, groups, resources, and names; at most ${maxParts} can be compared`,
    );
  return open
    .flatMap((rule) => [...partsOf(rule)])
    .filter((part) => !owned.some((rule) => covers(rule, part)));
}

function countOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const ofResources = apiGroups.length * resources.length * Math.max(1, resourceNames.length);
  return verbs.length * (ofResources + nonResourceURLs.length);
}

/** One verb on one resource or path, of at most one name. */
function* partsOf(rule: PolicyRule): Generator<PolicyRule> {
  const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  for (const group of rule.apiGroups)
    for (const resource of rule.resources)
      for (const verb of rule.verbs) {
        const part = { ...none, apiGroups: [group], resources: [resource], verbs: [verb] };
        if (rule.resourceNames.length === 0) yield part;
        for (const name of rule.resourceNames) yield { ...part, resourceNames: [name] };
      }
  for (const url of rule.nonResourceURLs)
    for (const verb of rule.verbs) yield { ...none, nonResourceURLs: [url], verbs: [verb] };
}

function covers(owned: PolicyRule, part: PolicyRule): boolean {
  const isNamed = part.resourceNames.length > 0;
  return (
    hasAll(owned.verbs, part.verbs) &&
    hasAll(owned.apiGroups, part.apiGroups) &&
    part.resources.every((resource) => resourceCovered(owned.resources, resource)) &&
    part.nonResourceURLs.every((url) => owned.nonResourceURLs.some((one) => pathCovers(one, url))) &&
    (owned.resourceNames.length === 0 ||
      (isNamed && part.resourceNames.every((name) => owned.resourceNames.includes(name))))
  );
}

function resourceCovered(owned: readonly string[], resource: string): boolean {
  if (has(owned, resource)) return true;
  const slash = resource.indexOf("/");
  return slash >= 0 && owned.includes(`*/${resource.slice(slash + 1)}`);
}

/** What is missing, a line for each resource, in the API server's words: a verb that two rules ask for is there twice. */
export function describeRules(rules: readonly PolicyRule[]): readonly string[] {
  const texts = new Set<string>();
  const verbsOf = new Map<string, { readonly rule: PolicyRule; readonly verbs: string[] }>();
  for (const rule of rules) {
    // Paths are not put together.
    if (rule.nonResourceURLs.length > 0) texts.add(shortText(rule));
    else {
      const one = getOrAdd(verbsOf, JSON.stringify({ ...rule, verbs: [] }), () => ({
        rule,
        verbs: [] as string[],
      }));
      one.verbs.push(...rule.verbs);
    }
  }
  for (const { rule, verbs } of verbsOf.values()) texts.add(shortText({ ...rule, verbs }));
  return [...texts].sort();
}

const titles = [
  ["APIGroups", "apiGroups"],
  ["Resources", "resources"],
  ["NonResourceURLs", "nonResourceURLs"],
  ["ResourceNames", "resourceNames"],
  ["Verbs", "verbs"],
] as const;

function shortText(rule: PolicyRule): string {
  const parts = titles.flatMap(([title, key]) =>
    rule[key].length === 0 ? [] : [`${title}:${quoted(rule[key])}`],
  );
  return `{${parts.join(", ")}}`;
}

/** As Go prints a list with %q. */
export function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(" ")}]`;
}
