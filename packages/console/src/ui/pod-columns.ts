// The columns that tables of pods share: how a metric counted each, and with which numbers.
import { type PodTrace, podReasons } from "@plimsoll/core";
import { amountOf } from "./amount.ts";
import type { TableColumn } from "./sorted-table.tsx";

/** `traceOf`: undefined where the metric did not look at the pod. */
export function podColumns<T>(traceOf: (row: T) => PodTrace | undefined): readonly TableColumn<T>[] {
  const quantity = (field: "usage" | "request") => ({
    isNumber: true,
    // By what it amounts to; without one before all others.
    value: (row: T) => amountOf(traceOf(row)?.[field] ?? "") ?? -1,
    text: (row: T) => traceOf(row)?.[field] ?? "—",
  });
  return [
    {
      id: "group",
      name: "Counts as",
      title: "How the metric counts the pod",
      value: (row) => traceOf(row)?.group ?? "—",
    },
    {
      id: "why",
      name: "Why",
      title: "Why it counts so",
      value: (row) => {
        const trace = traceOf(row);
        return trace === undefined ? "—" : (podReasons[trace.why] ?? trace.why);
      },
    },
    { id: "usage", name: "Usage", title: "What was measured of the pod", ...quantity("usage") },
    { id: "request", name: "Request", title: "What its containers request", ...quantity("request") },
  ];
}
