// The specifications of a search as a table for other programs.
import { csvCell } from "../output/csv.ts";
import type { TuneDocument } from "./document.ts";

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
