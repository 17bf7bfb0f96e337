// What the doctor found, for people and for programs.
import { counted } from "@plimsoll/core/internal/values";
import type { Diagnosis, Finding, FindingObject, Severity } from "@plimsoll/doctor";
import { documentText, isDocumentFormat } from "../../../output/document.ts";
import type { Style, Tone } from "../../../output/style.ts";
import { wrap, wrapCommand } from "../../../output/width.ts";
import { documentOf, type Examined, groupsOf } from "./document.ts";

/** "table", "wide", "json", "yaml" or "name". */
export interface ReportForm {
  readonly format: string;
  readonly style: Style;
}

export function diagnosisText(examined: Examined, { format, style }: ReportForm): string {
  if (isDocumentFormat(format)) return documentText(documentOf(examined), format);
  if (format === "name")
    return lines([...new Set(examined.diagnosis.findings.map(({ object }) => style.text(typed(object))))]);
  return text(examined.diagnosis, style, format === "wide");
}

const shortKinds: Readonly<Record<string, string>> = {
  HorizontalPodAutoscaler: "hpa",
  WorkloadAutoscaler: "wla",
};

function typed({ kind, name }: FindingObject): string {
  return `${shortKinds[kind] ?? kind.toLowerCase()}/${name}`;
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join("");
}

function text(diagnosis: Diagnosis, style: Style, isWide: boolean): string {
  const { findings } = diagnosis;
  let header = "";
  const body = findings.flatMap((finding) => {
    const next = style.text(headerOf(finding.object));
    const isNew = next !== header;
    header = next;
    return [...(isNew ? [style.paint("strong", next)] : []), ...findingLines(finding, style, isWide)];
  });
  return lines([...body, ...wrapped(summary(diagnosis), style, "")]);
}

function headerOf({ kind, namespace, name, target }: FindingObject): string {
  const key = namespace === "" ? name : `${namespace}/${name}`;
  return `${key}  ${kind}${target === undefined ? "" : ` -> ${target.kind}/${target.name}`}`;
}

const labels: Readonly<Record<Severity, { readonly text: string; readonly tone: Tone }>> = {
  error: { text: "ERROR", tone: "bad" },
  warn: { text: "WARN", tone: "warning" },
  info: { text: "INFO", tone: "muted" },
};

function findingLines(finding: Finding, style: Style, isWide: boolean): readonly string[] {
  const { text: label, tone } = labels[finding.severity];
  const [title = "", ...rest] = wrapped(
    `  ${label.padEnd(5)} ${finding.id}  ${finding.title}`,
    style,
    indent,
  );
  const evidence = finding.evidence.map(({ what, value }) => `${what} ${value}`).join("; ");
  return [
    title.replace(label, () => style.paint(tone, label)),
    ...rest,
    ...(evidence === "" ? [] : wrapped(`${indent}${evidence}`, style, indent)),
    ...(isWide
      ? finding.evidence.flatMap(({ from }) => wrapped(`${indent}from: ${from}`, style, indent))
      : []),
    ...fixLines(finding, style, isWide),
    ...(isWide ? [`${indent}docs: ${finding.docs}`] : []),
  ];
}

/** A command says all, and can be copied. */
function fixLines({ fix, command }: Finding, style: Style, isWide: boolean): readonly string[] {
  const sentence = wrapped(`${indent}fix: ${fix}`, style, indent);
  if (command === undefined) return sentence;
  const lines = wrapCommand(style.text(`${indent}fix: ${command}`), style.columns, `${indent}  `);
  return isWide ? [...sentence, ...lines] : lines;
}

const indent = "        ";

function wrapped(line: string, style: Style, hanging: string): readonly string[] {
  return wrap(style.text(line), style.columns, hanging);
}

function summary({ findings, skipped, checked }: Diagnosis): string {
  const counts = (["error", "warn", "info"] as const).flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [counted(count, words[severity])];
  });
  const found = counts.length === 0 ? "no findings" : counts.join(", ");
  const looked = `${counted(checked.objects, "object")}, ${counted(checked.rules, "rule")}: ${found}`;
  if (skipped.length === 0) return looked;
  const left = groupsOf(skipped).map(({ ids, reason, objects }) => {
    const isPart = objects.length > 0 && objects.length < checked.objects;
    const where = isPart ? ` on ${counted(objects.length, "object")}` : "";
    return `${ids.join(", ")}${where} (${reason})`;
  });
  return `${looked}. Not checked: ${left.join("; ")}`;
}

const words: Readonly<Record<Severity, string>> = { error: "error", warn: "warning", info: "note" };
