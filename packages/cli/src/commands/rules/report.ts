// The output of `plimsoll rules check`, as text or JSON.
import { printable } from "@plimsoll/component-base/text";
import { counted } from "@plimsoll/core/internal/values";
import { formatProblem, type RuleInspection } from "@plimsoll/rules";
import { type CheckReport, findingsOf } from "./check.ts";
import { ownerLines } from "./owners.ts";

const MAX_METRICS = 10;

/** For people: problems as compilers write them, then a paragraph for each rule. */
export function textReport(report: CheckReport): string {
  const { file } = report;
  const lines = [
    ...report.problems.map((problem) => `error: ${formatProblem(file, problem)}`),
    ...report.warnings.map((problem) => `warning: ${formatProblem(file, problem)}`),
    ...report.notes.map((note) => `note: ${note}`),
    ...(report.rules ?? []).flatMap((rule) => ["", ...ruleLines(rule)]),
    ...(report.owners === undefined ? [] : ownerLines(report.owners)),
  ];
  const summary =
    report.findings === 0
      ? `${file}: no problems`
      : `${file}: ${counted(report.problems.length, "error")}, ${counted(report.warnings.length, "warning")}` +
        (report.rules === undefined ? "" : `, ${counted(rulesWithFindings(report), "rule")} with findings`);
  return `${[...lines, ...(lines.length > 0 ? [""] : []), summary].map(printable).join("\n")}\n`;
}

/** The machine's form; its fields only ever grow within one schema. */
export function jsonReport(report: CheckReport): string {
  const { file, problems, warnings, rules, notes, owners } = report;
  const document = {
    schema: "plimsoll/rules-check/v1",
    file,
    ok: report.findings === 0,
    problems: [
      ...problems.map((problem) => ({ severity: "error", ...problem })),
      ...warnings.map((problem) => ({ severity: "warning", ...problem })),
    ],
    notes,
    ...(rules === undefined ? {} : { rules: rules.map((rule) => ({ ...rule, findings: findingsOf(rule) })) }),
    ...(owners === undefined ? {} : { owners }),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function rulesWithFindings(report: CheckReport): number {
  return (report.rules ?? []).filter((rule) => findingsOf(rule).length > 0).length;
}

function ruleLines(rule: RuleInspection): readonly string[] {
  const { metrics, sample } = rule;
  const isResource = rule.path.startsWith("resourceRules");
  const shown = metrics.slice(0, MAX_METRICS).map(({ metric, resource, series }) => {
    const name = resource === undefined ? metric : `${resource}/${metric}`;
    return `  ${name}  from ${series}`;
  });
  const more = metrics.length > MAX_METRICS ? [`  and ${metrics.length - MAX_METRICS} more`] : [];
  return [
    isResource ? rule.path : `${rule.path}: ${counted(metrics.length, "metric")}`,
    ...shown,
    ...more,
    ...(sample === undefined || sample.promql === "" ? [] : sampleLines(sample)),
    ...findingsOf(rule).map((finding) => `  finding: ${finding}`),
  ];
}

function sampleLines({ promql, samples, total }: NonNullable<RuleInspection["sample"]>): readonly string[] {
  const values = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([name, text]) => `${name}=${JSON.stringify(text)}`);
    return `    {${pairs.join(", ")}}  ${value ?? "no number"}`;
  });
  const more = total > samples.length ? [`    and ${total - samples.length} more`] : [];
  return [`  query: ${promql.trim().replaceAll(/\s+/g, " ")}`, ...values, ...more];
}
