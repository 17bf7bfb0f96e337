// A simulation as text: a table, what happened over time, and where it went wrong.
import { type Series, sparkline } from "@plimsoll/simulator";
import type { Style } from "../output/style.ts";
import { type Column, tableLines } from "../output/table.ts";
import type { SimulateColumn, SimulateDocument } from "./document.ts";
import { amount, figures, spanText } from "./figures.ts";
import { shortSpans } from "./short-spans.ts";

const plotWidth = 60;

/** The whole report, with its line end. */
export function textReport(document: SimulateDocument, style: Style): string {
  const { name, durationSeconds, runs, seed } = document;
  const head = `${name}: ${spanText(durationSeconds)}, ${runs === 1 ? "1 run" : `${runs} runs`}, seed ${seed}`;
  const columns: readonly Column<SimulateColumn>[] = [
    { heading: "AUTOSCALER", cell: (column) => column.name, shrinksTo: 12 },
    ...figures.map(({ heading, text }) => ({
      heading,
      cell: (column: SimulateColumn) => text(column, document),
    })),
  ];
  const lines = [
    style.text(head),
    ...tableLines(document.columns, columns, { style, hasHeadings: true }),
    ...plots(document, style),
    ...document.columns.flatMap((column, index) => shortLine(column, index, style)),
    ...document.expectations.map(({ text, ok, found }) => {
      const was = `, was ${found === undefined ? "not known" : amount(found)}`;
      return style.paint(ok ? "good" : "bad", style.text(`${ok ? "ok" : "FAILED"}  ${text}${was}`));
    }),
  ];
  return `${lines.join("\n")}\n`;
}

/** The load once, and the pods of each column, of the first workload. */
function plots({ columns }: SimulateDocument, style: Style): readonly string[] {
  const first = columns.find(({ series }) => series !== undefined)?.series?.[0];
  if (first === undefined) return [];
  const pods = columns.flatMap(({ series }, index) => {
    const one = series?.[0];
    return one === undefined ? [] : [{ index, one }];
  });
  const max = Math.max(1, ...pods.flatMap(({ one }) => one.ready));
  const { isUtf8 } = style;
  return [
    "",
    `req/s    ${sparkline(first.load, plotWidth, { isUtf8 })}  ${peakText(first, first.load)}`,
    ...pods.map(
      ({ index, one }) =>
        `pods ${String(index + 1).padStart(2)}  ${sparkline(one.ready, plotWidth, { isUtf8, max })}  ${amount(Math.round(Math.max(...one.ready)))}`,
    ),
  ];
}

function peakText({ startMs, bucketMs }: Series, values: readonly number[]): string {
  const peak = Math.max(...values);
  return `${amount(peak)} at ${clockText(startMs + values.indexOf(peak) * bucketMs)}`;
}

function shortLine(column: SimulateColumn, index: number, style: Style): readonly string[] {
  const series = column.series?.[0];
  const worst = series === undefined ? undefined : shortSpans(series)[0];
  if (worst === undefined) return [];
  const [from, to] = [clockText(worst.fromMs), clockText(worst.toMs)];
  const at = new Date(worst.fromMs).toISOString().replace(".000Z", "Z");
  const text = `${column.name} was short ${from}–${to}, by ${amount(worst.pods)} pods on average (--at ${at} --column ${index + 1} explains)`;
  return [style.paint("warning", style.text(text))];
}

function clockText(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}
