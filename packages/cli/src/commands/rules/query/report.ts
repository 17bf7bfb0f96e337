// The output of `plimsoll rules query`.
import type { OtherRule, RuleCandidate } from "@plimsoll/rules";
import { documentText } from "../../../output/document.ts";
import type { Style } from "../../../output/style.ts";
import { wrap } from "../../../output/width.ts";
import type { RulesQueryDocument } from "./document.ts";
import type { QueryReport } from "./query.ts";

/** For people: a paragraph for each rule that could give the metric, link by link, and a line for the others. */
export function queryText(report: QueryReport, style: Style): string {
  const { candidates, others, served, cluster } = report;
  const total =
    served.ok && served.items.length > 0
      ? [`served    ${served.status}, ${count(served.items.length, "item")}`]
      : [];
  const [first] = candidates;
  const missing =
    first === undefined && !served.ok ? [`no rule provides ${report.metric}: ${served.message}`] : [];
  const asked =
    cluster === undefined
      ? []
      : [`cluster   ${cluster.status || "no response"}, ${cluster.message ?? count(cluster.items, "item")}`];
  const lines = [
    ...missing,
    ...candidates.flatMap(candidateLines),
    ...otherLines(others),
    ...total,
    ...asked,
  ];
  const shown = lines.flatMap((line) =>
    // A query stays on one line, so that it can be copied.
    line.startsWith("          query")
      ? style.text(line)
      : wrap(style.text(line), style.columns, hangingIndent(line)),
  );
  return `${shown.join("\n")}\n`;
}

/** What goes on stands under the text of its link. */
function hangingIndent(line: string): string {
  return " ".repeat(line.startsWith(" ") || line.includes("  seriesQuery ") ? 22 : 2);
}

/** The machine's form; its fields are only ever added to. */
export function queryDocument(report: QueryReport, at: string, format: "json" | "yaml"): string {
  const { metric, candidates, others, served, cluster, notes } = report;
  const document: RulesQueryDocument = {
    schema: "plimsoll/rules-query/v1",
    at,
    metric,
    candidates,
    others,
    served: served.ok
      ? { status: served.status, items: served.items }
      : { status: served.status, message: served.message, items: [] },
    ...(cluster === undefined ? {} : { cluster }),
    notes,
    errors: [],
  };
  return documentText(document, format);
}

function candidateLines(candidate: RuleCandidate, at: number): readonly string[] {
  const { rule, seriesQuery, series, name, promql, samples, total, why, fix } = candidate;
  const link = (title: string, text: string): string => `          ${title.padEnd(12)}${text}`;
  const shown = samples.map(({ labels, value }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
    return link("", `{${pairs.join(", ")}}  ${value ?? "no number"}`);
  });
  return [
    ...(at > 0 ? [""] : []),
    `${rule}  seriesQuery ${seriesQuery}      ${count(series, "series", "series")}`,
    link("name", `${name} -> ${candidate.metric}`),
    ...(promql === "" ? [] : [link("query", shortened(promql, candidate.resourceLabel))]),
    ...(promql === "" ? [] : [link("result", count(total, "sample")), ...shown]),
    ...(total > samples.length ? [link("", `and ${total - samples.length} more`)] : []),
    ...(why === undefined ? [] : [link("why", why)]),
    ...(fix === undefined ? [] : [link("fix", fix)]),
  ];
}

/** In one line, the names of the objects left out. */
function shortened(promql: string, label: string | undefined): string {
  const line = promql.trim().replaceAll(/\s+/g, " ");
  return label === undefined
    ? line
    : line.replaceAll(new RegExp(`\\b${label}=~"[^"]*"`, "g"), `${label}=~"…"`);
}

/** "rules[0], [1], [4]: no series of this name". */
function otherLines(others: readonly OtherRule[]): readonly string[] {
  const groups = Map.groupBy(others, ({ rule, why }) => JSON.stringify([rule.split("[")[0], why]));
  return [...groups.values()].map((group) => {
    const names = group.map(({ rule }, index) => (index === 0 ? rule : rule.slice(rule.indexOf("["))));
    return `${names.join(", ")}: ${group[0]?.why ?? ""}`;
  });
}

function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
