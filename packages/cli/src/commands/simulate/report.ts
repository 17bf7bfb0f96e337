// A simulation as text: a table, what happened over time, and where it went wrong.
import { type Series, sparkline } from "@plimsoll/simulator";
import { amount } from "../../output/amount.ts";
import type { Style } from "../../output/style.ts";
import { type Column, fits, tableLines } from "../../output/table.ts";
import { wrap } from "../../output/width.ts";
import type { SimulateColumn, SimulateDocument } from "./document.ts";
import { figures, spanText } from "./figures.ts";

/** Of a pipe, too: what is written there is read in a terminal or a ticket. */
const usualColumns = 80;
const maxPlotWidth = 60;
/** What stands beside a plot: what it is of, and its peak. */
const besidePlot = 31;

/** The whole report, with its line end. */
export function textReport(document: SimulateDocument, given: Style): string {
  const { name, durationSeconds, runs, seed } = document;
  const columns = given.columns ?? usualColumns;
  const style = { ...given, columns };
  const head = `${name}: ${spanText(durationSeconds)}, ${runs === 1 ? "1 run" : `${runs} runs`}, seed ${seed}`;
  const lines = [
    ...wrap(style.text(head), columns, "  "),
    ...figureLines(document, style),
    ...plots(document, style, Math.min(maxPlotWidth, columns - besidePlot)),
    ...document.columns.flatMap((column, index) => shortLine(column, index, style)),
    ...document.columns.flatMap((column) => reactionLine(column, style)),
    ...document.expectations.map(({ text, ok, found }) => {
      const was = `, was ${found === undefined ? "not known" : amount(found)}`;
      const said = wrap(style.text(`${ok ? "ok" : "FAILED"}  ${text}${was}`), columns, "  ");
      return said.map((line) => style.paint(ok ? "good" : "bad", line)).join("\n");
    }),
  ];
  return `${lines.join("\n")}\n`;
}

/** The table without the last figures, where its lines would be too long. */
function figureLines(document: SimulateDocument, style: Style): readonly string[] {
  const { paint, tableColumns } = style;
  for (let count = figures.length; count > 0; count--) {
    const columns: readonly Column<SimulateColumn>[] = [
      { heading: "AUTOSCALER", cell: (column) => column.name, shrinksTo: 12 },
      ...figures
        .slice(0, count)
        .map(({ heading, text }) => ({ heading, cell: (column: SimulateColumn) => text(column, document) })),
    ];
    const lines = tableLines(document.columns, columns, { style, hasHeadings: true });
    if (!fits(lines, style) && count > 1) continue;
    const left = figures.slice(count).map(({ heading }) => heading);
    const more =
      left.length === 0
        ? []
        : [paint("muted", `too wide for ${tableColumns} columns: ${left.join(", ")} (in -o json)`)];
    return [...lines, ...more];
  }
  return [];
}

/** How soon the replicas follow a step of the load, where it has some. */
function reactionLine({ name, steps = [] }: SimulateColumn, style: Style): readonly string[] {
  const seconds = steps.flatMap((own) => own.flatMap(({ reaction }) => reaction ?? []));
  const middle = seconds.toSorted((a, b) => a - b)[seconds.length >> 1];
  if (middle === undefined) return [];
  return wrap(
    style.text(`${name}: reacts ${amount(middle)} s after a step of the load`),
    style.columns,
    "  ",
  );
}

/** The load once, and the pods of each column, of the first workload. */
function plots({ columns }: SimulateDocument, style: Style, plotWidth: number): readonly string[] {
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
  return wrap(style.text(text), style.columns, "  ").map((line) => style.paint("warning", line));
}

function clockText(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

/** A time in which there were fewer pods than the load needed. */
interface ShortSpan {
  readonly fromMs: number;
  readonly toMs: number;
  /** How many were short, on average. */
  readonly pods: number;
}

/** Such times, the worst first. */
function shortSpans({ startMs, bucketMs, short }: Series): readonly ShortSpan[] {
  const spans: { from: number; to: number; podSeconds: number }[] = [];
  for (const [bucket, podSeconds] of short.entries()) {
    if (podSeconds <= 0) continue;
    const last = spans.at(-1);
    if (last !== undefined && last.to === bucket) {
      last.to++;
      last.podSeconds += podSeconds;
    } else spans.push({ from: bucket, to: bucket + 1, podSeconds });
  }
  return spans
    .sort((a, b) => b.podSeconds - a.podSeconds)
    .map(({ from, to, podSeconds }) => ({
      fromMs: Math.floor(startMs + from * bucketMs),
      toMs: Math.floor(startMs + to * bucketMs),
      pods: podSeconds / (((to - from) * bucketMs) / 1000),
    }));
}
