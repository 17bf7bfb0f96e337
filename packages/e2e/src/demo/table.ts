import { styleText } from "node:util";
import { sparkline } from "./sparkline.ts";
import type { Verdict } from "./verdict.ts";

export interface Row {
  readonly workload: string;
  readonly replicas: number;
  readonly wanted: number;
  readonly verdict: Verdict;
  /** Load and replicas since the start, one value a tick. */
  readonly loads: readonly number[];
  readonly counts: readonly number[];
}

/** Columns before the sparklines, and what the reason should get at least. */
const FIXED = 53;
const REASON = 30;

/** The table as lines, at most `width` columns wide. */
export function renderTable(rows: readonly Row[], o: { readonly width: number; readonly colour: boolean }) {
  const paint = (style: "bold" | "dim" | "green" | "yellow", text: string) =>
    o.colour ? styleText(style, text, { validateStream: false }) : text;
  const spark = Math.max(6, Math.min(20, Math.floor((o.width - FIXED - REASON) / 2) - 2));
  const head = `${"WORKLOAD".padEnd(9)}${"REPLICAS".padEnd(10)}${"METRIC NOW/TARGET".padEnd(34)}${"LOAD".padEnd(spark + 2)}${"REPLICAS OVER TIME".slice(0, spark).padEnd(spark + 2)}REASON`;
  const lines = rows.map((row) => {
    const moving = row.replicas !== row.wanted;
    const replicas = moving ? `${row.replicas} → ${row.wanted}` : String(row.replicas);
    const metric = `${row.verdict.metric} ${row.verdict.reading}`.trim();
    const plain = [
      row.workload.padEnd(9),
      replicas.padEnd(10),
      metric.padEnd(34),
      `${sparkline(row.loads, spark)}  `,
      `${sparkline(row.counts, spark)}  `,
    ];
    const room = Math.max(0, o.width - plain.join("").length);
    const [name = "", count = "", reading = "", load = "", line = ""] = plain;
    return [
      paint("bold", name),
      moving ? paint("yellow", count) : count,
      reading,
      paint("dim", load),
      paint("green", line),
      row.verdict.reason.slice(0, room),
    ].join("");
  });
  return [paint("dim", head.slice(0, o.width)), ...lines];
}
