// What happened over time as a table for other programs.
import { formatInstant } from "@plimsoll/core";
import { csvCell as quoted } from "../output/csv.ts";
import type { SimulateDocument } from "./document.ts";

const columns = ["load", "capacity", "ready", "desired", "hot", "short", "backlog"] as const;

/** A row for each column, workload and bucket of the first run. */
export function csvReport(document: SimulateDocument): string {
  const rows = [["autoscaler", "workload", "time", ...columns].join(",")];
  for (const { name, workloads, series = [] } of document.columns) {
    for (const [index, one] of series.entries()) {
      const lead = `${quoted(name)},${quoted(workloads[index]?.name ?? "")}`;
      for (let bucket = 0; bucket < one.load.length; bucket++) {
        const values = columns.map((column) => String(rounded(one[column][bucket] ?? 0)));
        rows.push([lead, formatInstant(one.startMs + bucket * one.bucketMs), ...values].join(","));
      }
    }
  }
  return `${rows.join("\n")}\n`;
}

function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
