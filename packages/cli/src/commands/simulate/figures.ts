// Figures of a column as people read them.
import type { Range } from "@plimsoll/simulator";
import { amount } from "../../output/amount.ts";
import type { SimulateColumn, SimulateDocument } from "./document.ts";

/** One figure of a column. */
export interface Figure {
  readonly heading: string;
  readonly text: (column: SimulateColumn, document: SimulateDocument) => string;
}

const unknown = "?";

/** The columns of the table, behind the name. */
export const figures: readonly Figure[] = [
  { heading: "POD-HOURS", text: ({ scores }) => rangeText(scores.podHours, amount) },
  {
    heading: "OVER IDEAL",
    text: ({ scores: { podHours, idealPodHours } }) =>
      podHours === undefined || idealPodHours === undefined || idealPodHours.median === 0
        ? unknown
        : (podHours.median / idealPodHours.median).toFixed(2),
  },
  {
    heading: "HOT",
    text: ({ scores, workloads }, { durationSeconds }) =>
      rangeText(
        scaled(scores.hotSeconds, 100 / (durationSeconds * Math.max(1, workloads.length))),
        percent,
        " %",
      ),
  },
  {
    heading: "SHORT POD-MIN",
    text: ({ scores }) => rangeText(scaled(scores.shortPodSeconds, 1 / 60), amount),
  },
  { heading: "LOST", text: ({ scores }) => rangeText(scores.lost, amount) },
  { heading: "EVENTS", text: ({ scores }) => rangeText(scores.events, amount) },
  { heading: "REVERSALS", text: ({ scores }) => rangeText(scores.reversals, amount) },
  { heading: "LATENCY", text: ({ scores }) => rangeText(scores.latencyMs, amount, " ms") },
];

/** "431", or the median with the lowest and the highest of the runs. */
function rangeText(range: Range | undefined, print: (value: number) => string, unit = ""): string {
  if (range === undefined) return unknown;
  const { median, low, high } = range;
  const [middle, from, to] = [print(median), print(low), print(high)];
  return from === to ? `${middle}${unit}` : `${middle}${unit} (${from}–${to})`;
}

function scaled(range: Range | undefined, by: number): Range | undefined {
  return range === undefined
    ? undefined
    : { median: range.median * by, low: range.low * by, high: range.high * by };
}

function percent(value: number): string {
  return value !== 0 && Math.abs(value) < 0.1 ? value.toFixed(2) : value.toFixed(1);
}

/** "24 h", "30 min", "90 s". */
export function spanText(seconds: number): string {
  if (seconds >= 3600 && seconds % 3600 === 0) return `${amount(seconds / 3600)} h`;
  if (seconds >= 60 && seconds % 60 === 0) return `${amount(seconds / 60)} min`;
  return `${amount(seconds)} s`;
}
