// The table of metrics: what each measured and proposed.
import type { CombineTrace, MetricTrace } from "@plimsoll/core";
import type { Style } from "../output/style.ts";
import { type Column, notApplicable, notKnown, tableLines } from "../output/table.ts";
import { type Facts, stepOf } from "./facts.ts";
import { metricTitle, ratioText, targetText, valueText } from "./metric-words.ts";

interface Row {
  readonly trace: MetricTrace;
  readonly title: string;
  readonly isDecisive: boolean;
  readonly remark: string;
}

const columns: readonly Column<Row>[] = [
  {
    heading: "  METRIC",
    cell: ({ title, isDecisive }) => `${isDecisive ? "*" : " "} ${title}`,
    minWidth: 28,
    shrinksTo: 14,
  },
  { heading: "VALUE", cell: ({ trace }) => valueText(trace) ?? notKnown, minWidth: 6 },
  { heading: "TARGET", cell: ({ trace }) => targetText(trace) ?? notKnown, minWidth: 6 },
  { heading: "RATIO", cell: ({ trace }) => ratioText(trace.first?.ratio) ?? notApplicable },
  {
    heading: "PROPOSED",
    align: "right",
    cell: ({ trace }) => (trace.replicas === undefined ? notApplicable : String(trace.replicas)),
  },
  {
    heading: "",
    shrinksTo: 7,
    cell: ({ trace, remark }) => (trace.error === undefined ? remark : { text: remark, tone: "bad" }),
  },
];

/** The lines of the table; none without metrics. */
export function metricTable(
  { metrics, specs, decision, summary }: Facts,
  style: Style,
  hasHeadings: boolean,
): readonly string[] {
  if (metrics.length === 0) return [];
  const combine = stepOf(decision, "combine");
  const rows = metrics.map((trace): Row => {
    const isDecisive = summary.decidedBy === trace.index;
    return {
      trace,
      title: metricTitle(specs[trace.index], trace),
      isDecisive,
      remark: remarkOf(trace, combine, isDecisive),
    };
  });
  return tableLines(rows, columns, { style, hasHeadings, indent: "  " });
}

function remarkOf(
  { error, index }: MetricTrace,
  combine: CombineTrace | undefined,
  isDecisive: boolean,
): string {
  if (isDecisive) return "decides";
  if (error !== undefined) return `${error.reason}: ${error.message}`;
  return combine?.outcome === "blocked" && combine.winner === index ? "blocked" : "";
}
