// Checks MetricRules and queries of WorkloadAutoscalers, as `plimsoll rules check` does when a file has objects.
import { printable } from "@plimsoll/component-base/text";
import type { KubeObject } from "@plimsoll/kube";
import { type CheckedRule, checkQueryObjects, checkRuleObjects } from "@plimsoll/metric-rules";
import { problemText, readSources } from "@plimsoll/migration/manifests";
import { knownOfConfined } from "@plimsoll/recipes";

/** What is said of the objects of a file. */
export interface MetricRulesReport {
  readonly text: string;
  readonly json: string;
  readonly findings: number;
}

/** Undefined for a file without such objects; rules files have no kind. */
export function checkMetricRules(
  text: string,
  file: string,
  namespaceLabel: string,
): MetricRulesReport | undefined {
  if (!/^\s*"?kind"?\s*:\s*"?(?:MetricRule|WorkloadAutoscaler)(?:List)?\b/m.test(text)) return undefined;
  const sources = readSources(text, file);
  const objects = sources.objects.filter(({ kind }) => kinds.includes(kind));
  const named = objects.flatMap(({ kind, value }) => (isNamed(value) ? [{ kind, value }] : []));
  const ofKind = (wanted: string) => named.filter(({ kind }) => kind === wanted).map(({ value }) => value);
  const options = { namespaceLabel, namespace: "default" };
  const checked = {
    rules: checkRuleObjects(ofKind("MetricRule"), options),
    queries: checkQueryObjects(ofKind("WorkloadAutoscaler"), options),
  };
  const unnamed = objects.length - named.length;
  const problems = [
    ...sources.problems.map(problemText),
    ...(unnamed === 0 ? [] : [`${file}: ${unnamed} without metadata.name: add a name to each`]),
  ];
  const findings = problems.length + allOf(checked).filter(isFaulty).length;
  return { text: textOf(file, checked, problems), json: jsonOf(file, checked, problems), findings };
}

const kinds = ["MetricRule", "WorkloadAutoscaler"];

/** Queries have the names under which they are served. */
interface Checked {
  readonly rules: readonly CheckedRule[];
  readonly queries: readonly CheckedRule[];
}

function allOf({ rules, queries }: Checked): readonly CheckedRule[] {
  return [...rules, ...queries];
}

function isFaulty(rule: CheckedRule): boolean {
  return rule.decided.type === "refused" || bookOf(rule).mistakes.length > 0;
}

/** What the recipe book says of an accepted rule. */
function bookOf({ namespace, decided }: CheckedRule): ReturnType<typeof knownOfConfined> {
  if (decided.type === "refused") return { mistakes: [], whyEmpty: undefined };
  const { query, object } = decided.rule;
  return knownOfConfined({ query, namespace }, object?.info.resource === "pods");
}

function isNamed(value: object): value is KubeObject {
  const metadata: unknown = "metadata" in value ? value.metadata : undefined;
  return (
    typeof metadata === "object" &&
    metadata !== null &&
    "name" in metadata &&
    typeof metadata.name === "string"
  );
}

function textOf(file: string, checked: Checked, problems: readonly string[]): string {
  const lines = allOf(checked).flatMap((rule): readonly string[] => {
    const { namespace, name, decided } = rule;
    const key = `${namespace}/${name}`;
    if (decided.type === "refused")
      return [`error: ${key}: ${decided.refusal.reason}: ${decided.refusal.message}`];
    const { mistakes, whyEmpty } = bookOf(rule);
    return [
      `${key}: ${decided.rule.query}`,
      ...mistakes.map((mistake) => `warning: ${key}: ${mistake}`),
      ...(whyEmpty === undefined ? [] : [`note: ${key}: ${whyEmpty}`]),
    ];
  });
  const faulty = allOf(checked).filter(isFaulty).length;
  const { rules, queries } = checked;
  const all = [
    ...(rules.length > 0 || queries.length === 0
      ? [`${rules.length} MetricRule${rules.length === 1 ? "" : "s"}`]
      : []),
    ...(queries.length > 0
      ? [`${queries.length} ${queries.length === 1 ? "query" : "queries"} of WorkloadAutoscalers`]
      : []),
  ].join(", ");
  const summary =
    faulty + problems.length === 0
      ? `${file}: ${all}, no problems`
      : `${file}: ${all}, ${faulty + problems.length} with problems`;
  return `${[...problems.map((problem) => `error: ${problem}`), ...lines, summary].map(printable).join("\n")}\n`;
}

function jsonOf(file: string, { rules, queries }: Checked, problems: readonly string[]): string {
  const document = {
    schema: "plimsoll/metric-rules-check/v1",
    file,
    ok: problems.length === 0 && !allOf({ rules, queries }).some(isFaulty),
    problems,
    rules: rules.map(reported),
    ...(queries.length === 0 ? {} : { queries: queries.map(reported) }),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function reported(rule: CheckedRule): object {
  const { namespace, name, decided } = rule;
  if (decided.type === "refused") return { namespace, name, accepted: false, ...decided.refusal };
  const { mistakes, whyEmpty } = bookOf(rule);
  const { metric, query } = decided.rule;
  const notes = whyEmpty === undefined ? [] : [whyEmpty];
  return { namespace, name, accepted: true, metric, query, warnings: mistakes, notes };
}
