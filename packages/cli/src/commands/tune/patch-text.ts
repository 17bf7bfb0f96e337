// A patch as a file: its evidence and the command that gives it again as comments, then what is applied.
import type { PeriodFigures, TunePatch } from "@plimsoll/backtest";
import { printable } from "@plimsoll/component-base/text";
import { stringify } from "yaml";
import type { TuneDocument, TuneRecommendation, TuneResult } from "./document.ts";
import { digits, hotText, intervalText, savedText, shortText, splitText, warningTexts } from "./words.ts";

/** The file of one recommendation, which is the n-th. */
export function patchText(
  { candidate, patch, ...rest }: TuneRecommendation,
  document: TuneDocument,
  result: TuneResult,
  file: string,
): string {
  const { object, from, to, version, command, recordingDigest, seed } = document;
  const { saved, interval, robustness, confidence, reasons } = rest;
  const comments = [
    `${object}: ${candidate.what}`,
    `pod-hours ${savedText(saved)} (90 % interval ${intervalText(interval)}), confidence ${[confidence, ...reasons].join(", ")}`,
    `${splitText(result)} of ${result.split.timeZone}, from ${from} to ${to}`,
    "",
    ...evidence(rest, result),
    ...kept(robustness),
    ...warningTexts(result),
    "",
    ...applying(patch, file),
    "",
    `plimsoll ${version}, seed ${seed}, recording ${recordingDigest}`,
    command,
  ];
  const text = stringify(patch.kind === "manifest" ? patch.manifest : patch.patch, { lineWidth: 0 });
  return `${comments.map((line) => `# ${printable(line)}`.trimEnd()).join("\n")}\n${text}`;
}

/** A table of both specifications, a line for each part of the days. */
function evidence(
  { training, validation, test }: Pick<TuneRecommendation, "training" | "validation" | "test">,
  { today }: TuneResult,
): readonly string[] {
  const parts = [
    ["training", today.training, training],
    ["validation", today.validation, validation],
    ["test", today.test, test],
  ] as const;
  return [
    "A mean of a day, today -> with this:",
    ...parts.map(([name, before, after]) => `  ${name.padEnd(10)}  ${figuresText(before, after)}`),
  ];
}

function kept(robustness: TuneRecommendation["robustness"]): readonly string[] {
  if (robustness.length === 0) return [];
  return [
    "The objective is met on the validation days:",
    ...robustness.map(({ what, isKept }) => `  ${isKept ? "yes" : "NO "}  ${what}`),
  ];
}

function figuresText(before: PeriodFigures | undefined, after: PeriodFigures): string {
  const change = (figure: (of: PeriodFigures) => string): string =>
    `${before === undefined ? "?" : figure(before)} -> ${figure(after)}`;
  return [
    `pod-hours ${change(({ podHours }) => digits(podHours))}`,
    `short ${change(shortText)} pod-min`,
    `hot ${change(hotText)}`,
    `reversals ${change(({ reversals }) => digits(reversals))}`,
  ].join(", ");
}

/** What a reader types. */
function applying(patch: TunePatch, file: string): readonly string[] {
  if (patch.kind === "merge-patch") {
    const { namespace, name, object } = patch;
    const kind = object === "WorkloadAutoscaler" ? "wla" : "hpa";
    return [`kubectl patch ${kind} ${name} -n ${namespace} --type=merge --patch-file=${file}`];
  }
  return [
    "This replaces the HorizontalPodAutoscaler, which has no schedules: delete that one first.",
    `kubectl apply -f ${file}`,
  ];
}
