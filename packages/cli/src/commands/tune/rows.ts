// The rows of the table of a search: what is better, what there is, and what is not recommended and why.
import type { PeriodFigures } from "@plimsoll/backtest";
import { csvCell } from "../../output/csv.ts";
import { notApplicable, notKnown } from "../../output/table.ts";
import type { TuneDocument, TuneRecommendation, TuneRejection, TuneResult } from "./document.ts";
import { digits, intervalText, savedText, shortText, todayFigure, together } from "./words.ts";

const figures = [
  "podHours",
  "shortPodSeconds",
  "hotSeconds",
  "events",
  "reversals",
  "peak",
  "saved",
] as const;

/** A row for each specification that was simulated on all training days; amounts are means of a day. */
export function csvReport({ report }: TuneDocument): string {
  const head = ["candidate", "front", "recommended", ...figures, "what"].join(",");
  const ranks = new Map(report?.recommendations.map(({ candidate }, index) => [candidate.id, index + 1]));
  const rows = (report?.front ?? []).map(({ candidate, isOnFront, training }) =>
    [
      String(candidate.id),
      String(isOnFront),
      String(ranks.get(candidate.id) ?? ""),
      ...figures.map((figure) => String(Math.round(training[figure] * 1e6) / 1e6)),
      csvCell(candidate.what),
    ].join(","),
  );
  return `${[head, ...rows].join("\n")}\n`;
}

/** Amounts are means of a day. */
export interface TuneRow {
  readonly kind: "recommended" | "today" | "rejected";
  readonly mark: string;
  readonly saves: string;
  readonly podHours: string;
  /** Pod-minutes. */
  readonly short: string;
  /** With those of today. */
  readonly reversals: string;
  readonly confidence: string;
  readonly what: string;
}

export const rowHeadings = [
  ["mark", ""],
  ["saves", "SAVES"],
  ["podHours", "POD-H/DAY"],
  ["short", "SHORT"],
  ["reversals", "REVERSALS"],
  ["confidence", "CONFIDENCE"],
  ["what", "WHAT"],
] as const satisfies readonly (readonly [keyof TuneRow, string])[];

/** So many of those that are not recommended; the documents have all. */
const shownRejections = 5;

export function tuneRows(result: TuneResult): readonly TuneRow[] {
  const { recommendations, rejected } = result;
  return [
    ...recommendations.map((one, index) => recommendedRow(one, index, result)),
    todayRow(result),
    ...rejected.slice(0, shownRejections).map((one) => rejectedRow(one, result)),
  ];
}

function recommendedRow(one: TuneRecommendation, index: number, result: TuneResult): TuneRow {
  const mean = (figure: (of: PeriodFigures) => number): number => together(one, figure) ?? 0;
  return {
    kind: "recommended",
    mark: String(index + 1),
    saves: `${savedText(one.saved)} (${intervalText(one.interval)})`,
    podHours: digits(mean(({ podHours }) => podHours)),
    short: shortText({ shortPodSeconds: mean(({ shortPodSeconds }) => shortPodSeconds) }),
    reversals: reversalsText(
      mean(({ reversals }) => reversals),
      result,
    ),
    confidence: one.confidence,
    what: one.candidate.what,
  };
}

function todayRow(result: TuneResult): TuneRow {
  const text = (figure: (of: PeriodFigures) => number, print: (value: number) => string): string => {
    const value = todayFigure(result, figure);
    return value === undefined ? notKnown : print(value);
  };
  return {
    kind: "today",
    mark: "=",
    saves: notApplicable,
    podHours: text(({ podHours }) => podHours, digits),
    short: text(({ shortPodSeconds }) => shortPodSeconds / 60, digits),
    reversals: text(({ reversals }) => reversals, whole),
    confidence: notApplicable,
    what: "keep the current spec",
  };
}

function whole(value: number): string {
  return String(Math.round(value));
}

function rejectedRow({ candidate, figures, why }: TuneRejection, result: TuneResult): TuneRow {
  return {
    kind: "rejected",
    mark: "–",
    saves: savedText(figures.saved),
    podHours: digits(figures.podHours),
    short: shortText(figures),
    reversals: reversalsText(figures.reversals, result),
    confidence: notApplicable,
    what: `${candidate.what}: ${why}, not recommended`,
  };
}

function reversalsText(own: number, result: TuneResult): string {
  const today = todayFigure(result, ({ reversals }) => reversals);
  return `${whole(own)} (${today === undefined ? notKnown : whole(today)})`;
}
