// The list of rules, for --list.
import { docsOf, type Rule } from "@plimsoll/doctor";
import { documentText, isDocumentFormat } from "../../../output/document.ts";
import { type Column, tableLines } from "../../../output/table.ts";
import type { ReportForm } from "./diagnosis.ts";

const columns: readonly Column<Rule>[] = [
  { heading: "RULE", cell: ({ id }) => id },
  { heading: "SEVERITY", cell: ({ severity }) => severity },
  { heading: "FINDS", cell: ({ title }) => title, shrinksTo: 40 },
];

const wideColumns: readonly Column<Rule>[] = [
  ...columns,
  { heading: "READS", cell: ({ needs, uses = [] }) => [...needs, ...uses].join(",") || "the object" },
];

export function rulesText(
  rules: readonly Rule[],
  { format, style, hasHeadings }: ReportForm & { readonly hasHeadings: boolean },
): string {
  if (format === "name") return rules.map(({ id }) => `${id}\n`).join("");
  if (isDocumentFormat(format)) {
    const items = rules.map(({ id, severity, title, condition, fix, ...rule }) => ({
      id,
      severity,
      title,
      condition,
      fix,
      reads: [...rule.needs, ...(rule.uses ?? [])],
      isFromRecords: rule.isFromRecords === true,
      isForManifests: rule.isForManifests === true,
      docs: docsOf(id),
    }));
    return documentText({ schema: "plimsoll/doctor-rules/v1", rules: items }, format);
  }
  const table = tableLines(rules, format === "wide" ? wideColumns : columns, { style, hasHeadings });
  return table.map((line) => `${line}\n`).join("");
}
