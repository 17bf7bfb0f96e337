// The columns that tables of pods share: how a metric counted each, and with which numbers.
import { type PodTrace, podReasons } from "@plimsoll/core";
import { amountOf } from "./amount.ts";
import { column, type TableColumn } from "./sorted-table.tsx";

/** `traceOf`: undefined where the metric did not look at the pod. */
export function podColumns<T>(traceOf: (row: T) => PodTrace | undefined): readonly TableColumn<T>[] {
  const quantity = (field: "usage" | "request", name: string, title: string) =>
    // By what it amounts to; without one before all others.
    column([field, name, title], (row: T) => amountOf(traceOf(row)?.[field] ?? "") ?? -1, {
      isNumber: true,
      text: (row) => traceOf(row)?.[field] ?? "—",
    });
  return [
    column(["group", "Counts as", "How the metric counts the pod"], (row) => traceOf(row)?.group ?? "—"),
    column(["why", "Why", "Why it counts so"], (row) => {
      const trace = traceOf(row);
      return trace === undefined ? "—" : (podReasons[trace.why] ?? trace.why);
    }),
    quantity("usage", "Usage", "What was measured of the pod"),
    quantity("request", "Request", "What its containers request"),
  ];
}
