// Draws the workloads as a table for the terminal.
import { styleText } from "node:util";
import { sparkline } from "@plimsoll/simulator";
import type { Explanation } from "./explanation.ts";

export interface Row {
  readonly workload: string;
  readonly replicas: number;
  readonly wanted: number;
  readonly explanation: Explanation;
  /** Load and replicas since the start, one value a tick. */
  readonly loads: readonly number[];
  readonly counts: readonly number[];
}

interface Column {
  readonly head: string;
  /** 0 leaves the column out. */
  readonly width: number;
  readonly text: (row: Row, width: number) => string;
  readonly style?: (row: Row) => "bold" | "dim" | "green" | "yellow" | undefined;
}

const GAP = 2;
const NAME = 8;
const REPLICAS = 8;
const METRIC = 27;
/** What the reason gets before the sparklines grow. */
const REASON = 24;
const MAX_SPARK = 20;
const MIN_SPARK = 5;
/** The second sparkline comes once the first has this width. */
const MIN_SPARK_OF_TWO = 8;

/** The table as lines, at most `width` columns wide: the narrower, the fewer and shorter columns. */
export function renderTable(
  rows: readonly Row[],
  options: { readonly width: number; readonly color: boolean },
) {
  const paint = (style: "bold" | "dim" | "green" | "yellow" | undefined, text: string) =>
    options.color && style !== undefined ? styleText(style, text, { validateStream: false }) : text;
  const columns = columnsFor(options.width);
  const line = (cell: (column: Column) => string) => columns.map(cell).join(" ".repeat(GAP)).trimEnd();
  const padded = (text: string, width: number) => fitted(text, width).padEnd(width);
  return [
    paint(
      "dim",
      line(({ head, width }) => padded(head, width)),
    ),
    ...rows.map((row) =>
      line(({ text, width, style }) => paint(style?.(row), padded(text(row, width), width))),
    ),
  ];
}

function columnsFor(width: number): readonly Column[] {
  const metric = Math.min(METRIC, width - NAME - REPLICAS - 2 * GAP);
  const rest = width - NAME - REPLICAS - 3 * GAP - metric;
  const spare = Math.max(0, rest - REASON);
  const half = Math.floor(spare / 2) - GAP;
  const hasTwo = half >= MIN_SPARK_OF_TWO;
  const one = Math.min(MAX_SPARK, hasTwo ? half : spare - GAP);
  const spark = one >= MIN_SPARK ? one : 0;
  const two = hasTwo ? spark : 0;
  const sparks = (spark > 0 ? spark + GAP : 0) + (two > 0 ? two + GAP : 0);
  const columns: readonly Column[] = [
    { head: "WORKLOAD", width: NAME, text: (row) => row.workload, style: () => "bold" },
    {
      head: "REPLICAS",
      width: REPLICAS,
      text: replicasText,
      style: (row) => (isMoving(row) ? "yellow" : undefined),
    },
    {
      head: "METRIC NOW/TARGET",
      width: metric,
      text: metricText,
    },
    {
      head: "LOAD",
      width: spark,
      text: (row, size) => sparkline(row.loads, size).padEnd(size),
      style: () => "dim",
    },
    {
      head: "REPLICAS OVER TIME",
      width: two,
      text: (row, size) => sparkline(row.counts, size).padEnd(size),
      style: () => "green",
    },
    { head: "REASON", width: Math.max(0, rest - sparks), text: ({ explanation }) => explanation.reason },
  ];
  return columns.filter((column) => column.width > 0);
}

function isMoving(row: Row): boolean {
  return row.replicas !== row.wanted;
}

function replicasText(row: Row): string {
  return isMoving(row) ? `${row.replicas} → ${row.wanted}` : String(row.replicas);
}

/** The name is cut before the numbers are. */
function metricText({ explanation: { metric, reading } }: Row, width: number): string {
  return `${fitted(metric, Math.max(0, width - reading.length - 1))} ${reading}`.trim();
}

/** The text in at most `width` columns; what is cut ends in an ellipsis, behind a whole word where one fits. */
export function fitted(text: string, width: number): string {
  if (text.length <= width) return text;
  if (width <= 0) return "";
  const cut = text.slice(0, width - 1);
  const isWhole = text[cut.length] === " ";
  const lastSpace = cut.lastIndexOf(" ");
  const words = isWhole || lastSpace < width / 2 ? cut : cut.slice(0, lastSpace);
  return `${words.trimEnd()}…`;
}
