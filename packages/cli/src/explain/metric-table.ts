// The table of metrics: what each measured and proposed.
import { type MetricRow, metricRows } from "@plimsoll/core";
import type { Style } from "../output/style.ts";
import { type Column, notApplicable, tableLines } from "../output/table.ts";
import type { Facts } from "./facts.ts";
import { shownQuantity } from "./metric-words.ts";

const columns: readonly Column<MetricRow>[] = [
  {
    heading: "  METRIC",
    cell: ({ label, decides }) => `${decides ? "*" : " "} ${label}`,
    minWidth: 28,
    shrinksTo: 14,
  },
  { heading: "VALUE", cell: ({ value }) => shownQuantity(value), minWidth: 6 },
  { heading: "TARGET", cell: ({ target }) => shownQuantity(target), minWidth: 6 },
  { heading: "RATIO", cell: ({ ratioText = notApplicable }) => ratioText },
  {
    heading: "PROPOSED",
    align: "right",
    cell: ({ replicas }) => (replicas === undefined ? notApplicable : String(replicas)),
  },
  {
    heading: "",
    shrinksTo: 7,
    cell: ({ decides, error }) =>
      error === undefined
        ? decides
          ? "decides"
          : ""
        : { text: `${error.reason}: ${error.message}`, tone: "bad" },
  },
];

/** The lines of the table; none without metrics. */
export function metricTable({ decision }: Facts, style: Style, hasHeadings: boolean): readonly string[] {
  const rows = metricRows(decision);
  return rows.length === 0 ? [] : tableLines(rows, columns, { style, hasHeadings, indent: "  " });
}
