// What differs between a decision and the one before.
import { type DecisionDifference, diffDecisions, instantMs, summarize } from "@plimsoll/core";
import type { WithDecision } from "../../decisions/source.ts";
import { timeText } from "../../output/age.ts";
import type { Style } from "../../output/style.ts";
import { wrap } from "../../output/width.ts";
import type { SettingChange } from "./setting-changes.ts";

/** Fields that are other in each decision, and say nothing. */
const ignored = /(?:^|\.)(?:lastTransitionTime|timestamp|nowMs|atMs)$/;

/** The lines after the explanation; none without an earlier decision. */
export function diffText(
  { decision, previous }: WithDecision,
  changes: readonly SettingChange[] | undefined,
  { style, nowMs }: { readonly style: Style; readonly nowMs: number },
): string {
  if (previous === undefined || changes === undefined) return "";
  const ms = previous.record === undefined ? undefined : instantMs(previous.record.at);
  const when = ms === undefined ? "the decision before" : `the decision of ${timeText(ms, nowMs)}`;
  const [a, b] = [summarize(previous.decision), summarize(decision)];
  const lines = [
    `Against ${when}: ${a.current} -> ${a.desired} then, ${b.current} -> ${b.desired} now`,
    ...settingLines(changes),
    ...diffDecisions(previous.decision, decision).flatMap(differenceLines),
  ];
  return `\n${lines.flatMap((line) => wrap(style.text(line), style.columns, "          ")).join("\n")}\n`;
}

function settingLines(changes: readonly SettingChange[]): readonly string[] {
  if (changes.length === 0) return ["  settings  unchanged"];
  return changes.map(({ path, before, now }) => `  ${path}  ${shown(before)} -> ${shown(now)}`);
}

function differenceLines({ step, metric, fields }: DecisionDifference): readonly string[] {
  const label = metric === undefined ? step : `${step} ${metric + 1}`;
  return fields
    .filter(({ path }) => step !== "decision" && !ignored.test(path))
    .map(({ path, a, b }) => `  ${label}${path === "" ? "" : ` ${path}`}  ${shown(a)} -> ${shown(b)}`);
}

function shown(value: unknown): string {
  if (value === undefined) return "—";
  return typeof value === "string"
    ? value
    : JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner));
}
