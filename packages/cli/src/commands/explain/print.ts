// Prints an explanation in the form that was asked for.
import { encodeRecord, explainWhyNot, summarize, type WhyNot, whyNot } from "@plimsoll/core";
import type { Cluster } from "../../cluster/cluster.ts";
import type { Explained } from "../../decisions/source.ts";
import { statusSummary } from "../../decisions/status-summary.ts";
import { outputName } from "../../objects/scaling-object.ts";
import { documentText, isDocumentFormat } from "../../output/document.ts";
import { type Style, styleOf } from "../../output/style.ts";
import { wrap } from "../../output/width.ts";
import { CliError, type CliSeams } from "../../seams.ts";
import { diffText } from "./diff-text.ts";
import { explainDocument } from "./document.ts";
import type { ExplainFlags } from "./flags.ts";
import { explanationMarkdown } from "./markdown.ts";
import { type SettingChange, settingChanges } from "./setting-changes.ts";
import { statusText } from "./status-text.ts";
import { type Detail, explanationText } from "./text.ts";

/** Of the ways, behind their names. */
const indent = " ".repeat(19);

/** Why it is not that number of replicas, with the line end. */
export function whyNotText(answer: WhyNot, style: Style, nowMs: number): string {
  const lines = explainWhyNot(answer, { atMs: nowMs })
    .split("\n")
    .flatMap((line) => wrap(style.text(line), style.columns, line.startsWith(" ") ? indent : "  "));
  return `${lines.join("\n")}\n`;
}

interface Print {
  readonly flags: ExplainFlags;
  /** With --why-not. */
  readonly whyNot: number | undefined;
  readonly cluster: Cluster;
  readonly seams: CliSeams;
}

/** @throws CliError where something was asked for that this decision does not have. */
export function printExplanation(explained: Explained, print: Print): void {
  const { flags, seams, cluster } = print;
  if (flags.output === "record") {
    seams.writeOut(recordText(explained));
    return;
  }
  if (flags.output === "name") {
    seams.writeOut(`${styleOf(seams, flags.color).text(outputName(explained.object))}\n`);
    return;
  }
  const answer = print.whyNot === undefined ? undefined : whyNotOf(explained, print.whyNot);
  const changes = flags.diff === true ? changesOf(explained, cluster) : undefined;
  if (isDocumentFormat(flags.output)) {
    const { decision, served } = explained;
    const summary = decision === undefined ? statusSummary(served) : summarize(decision);
    const parts = { summary, whyNot: answer, changes, notes: cluster.notes };
    seams.writeOut(documentText(explainDocument(explained, parts), flags.output));
    return;
  }
  if (explained.source !== "status")
    for (const note of [...explained.notes, ...(explained.errors ?? [])]) cluster.note(note);
  seams.writeOut(textOf(explained, { ...print, answer, changes }));
}

function textOf(
  explained: Explained,
  {
    flags,
    seams,
    answer,
    changes,
  }: Print & { readonly answer: WhyNot | undefined; readonly changes: readonly SettingChange[] | undefined },
): string {
  const style = styleOf(seams, flags.color);
  const nowMs = seams.nowMs();
  if (answer !== undefined) return whyNotText(answer, style, nowMs);
  const { decision } = explained;
  if (decision === undefined) return statusText(explained, { style, hasHeadings: flags.headers, nowMs });
  const decided = { ...explained, decision };
  const detail = detailOf(flags);
  if (flags.output === "markdown") return explanationMarkdown(decided, nowMs, detail);
  const text = explanationText(decided, { style, hasHeadings: flags.headers, detail, nowMs });
  return `${text}${flags.diff === true ? diffText(decided, changes, { style, nowMs }) : ""}`;
}

function detailOf({ full, steps }: ExplainFlags): Detail {
  if (full === true) return "full";
  return steps === true ? "steps" : "short";
}

function recordText({ record, source }: Explained): string {
  if (record !== undefined) return `${encodeRecord(record)}\n`;
  throw new CliError(
    source === "status"
      ? "no record: your permissions aren't enough to recompute the decision"
      : "the autoscaler didn't keep the inputs of this decision (--decision-inputs)",
  );
}

function whyNotOf({ record, source }: Explained, n: number): WhyNot {
  if (record === undefined)
    throw new CliError(
      "--why-not needs the decision's inputs, which were not kept or are not readable for you; recompute with --via none",
    );
  const answer = whyNot(record, n);
  if (source === "recorded" || answer.is === "decided") return answer;
  return { ...answer, notes: [...answer.notes, "Past recommendations are unknown."] };
}

function changesOf(explained: Explained, cluster: Cluster): readonly SettingChange[] | undefined {
  const changes = settingChanges(explained);
  if (changes === undefined) cluster.note("--diff: no decision before this one is recorded");
  return changes;
}
