// Checks MetricRules of a file, as `plimsoll rules check` does when a file has them instead of the adapter's rules.
import type { KubeObject } from "@plimsoll/kube";
import { type CheckedRule, checkRuleObjects } from "@plimsoll/metric-rules";
import { problemText } from "../convert/problem.ts";
import { readSources } from "../convert/source.ts";
import { printable } from "../printable.ts";

/** What is said of the MetricRules of a file. */
export interface MetricRulesReport {
  readonly text: string;
  readonly json: string;
  readonly findings: number;
}

/** Undefined for a file without MetricRules; rules files have no kind. */
export function checkMetricRules(
  text: string,
  file: string,
  namespaceLabel: string,
): MetricRulesReport | undefined {
  if (!/^\s*"?kind"?\s*:\s*"?MetricRule(?:List)?\b/m.test(text)) return undefined;
  const sources = readSources(text, file);
  const objects = sources.objects.filter(({ kind }) => kind === "MetricRule").map(({ value }) => value);
  const named = objects.flatMap((value) => (isNamed(value) ? [value] : []));
  const rules = checkRuleObjects(named, { namespaceLabel, namespace: "default" });
  const unnamed = objects.length - named.length;
  const problems = [
    ...sources.problems.map(problemText),
    ...(unnamed === 0 ? [] : [`${file}: ${unnamed} without metadata.name: give each a name`]),
  ];
  const findings = problems.length + rules.filter(({ decided }) => decided.type === "refused").length;
  return { text: textOf(file, rules, problems), json: jsonOf(file, rules, problems), findings };
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

function textOf(file: string, rules: readonly CheckedRule[], problems: readonly string[]): string {
  const lines = rules.map(({ namespace, name, decided }) =>
    decided.type === "accepted"
      ? `${namespace}/${name}: ${decided.rule.query}`
      : `error: ${namespace}/${name}: ${decided.refusal.reason}: ${decided.refusal.message}`,
  );
  const refused = rules.filter(({ decided }) => decided.type === "refused").length;
  const all = `${rules.length} MetricRule${rules.length === 1 ? "" : "s"}`;
  const summary =
    refused + problems.length === 0
      ? `${file}: ${all}, no problems`
      : `${file}: ${all}, ${refused + problems.length} with problems`;
  return `${[...problems.map((problem) => `error: ${problem}`), ...lines, summary].map(printable).join("\n")}\n`;
}

function jsonOf(file: string, rules: readonly CheckedRule[], problems: readonly string[]): string {
  const document = {
    schema: "plimsoll/metric-rules-check/v1",
    file,
    ok: problems.length === 0 && rules.every(({ decided }) => decided.type === "accepted"),
    problems,
    rules: rules.map(({ namespace, name, decided }) =>
      decided.type === "accepted"
        ? { namespace, name, accepted: true, metric: decided.rule.metric, query: decided.rule.query }
        : { namespace, name, accepted: false, ...decided.refusal },
    ),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
