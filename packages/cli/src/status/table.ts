// The table of objects: what each has, wants, and what holds it.
import { stripVTControlCharacters } from "node:util";
import { type HeldBy, instantMs, summaryState } from "@plimsoll/core";
import type { SummaryRow } from "../decisions/source.ts";
import { ratioText, shownQuantity } from "../explain/metric-words.ts";
import { ageOf, timeText } from "../output/age.ts";
import type { Style } from "../output/style.ts";
import { type Cell, type Column, notApplicable, notKnown, tableLines } from "../output/table.ts";
import { widthOf, wrap } from "../output/width.ts";

/** A row, with who wrote the replicas last where that was read. */
export interface StatusRow extends SummaryRow {
  readonly countWriter?: string;
}

/** The columns of a list of one namespace or of all. */
function statusColumns(options: {
  readonly hasNamespace: boolean;
  readonly isWide: boolean;
  readonly nowMs: number;
}): readonly Column<StatusRow>[] {
  const { hasNamespace, isWide, nowMs } = options;
  const right = (heading: string, cell: (row: StatusRow) => Cell): Column<StatusRow> => ({
    heading,
    cell,
    align: "right",
  });
  return [
    ...(hasNamespace ? [{ heading: "NAMESPACE", cell: ({ namespace }: StatusRow) => namespace }] : []),
    { heading: "NAME", cell: ({ name }) => name },
    ...(isWide ? wideTarget : []),
    right("NOW", ({ current }) => String(current)),
    right("WANT", wantOf),
    { heading: "MIN-MAX", cell: boundsOf },
    { heading: "DECIDED BY", cell: decidedByOf, shrinksTo: 24 },
    { heading: "RATIO", cell: (row) => ratioOf(row) ?? notApplicable },
    { heading: "HELD BY", cell: heldByOf },
    { heading: "SINCE", cell: ({ since }) => ageOf(since, nowMs) ?? notApplicable },
    ...(isWide ? wideRest : []),
    { heading: "NOTE", cell: (row) => noteOf(row, nowMs) },
  ];
}

/** The table; on a terminal that is too narrow a note stands below its row, because it says what is wrong. */
export function statusLines(
  rows: readonly StatusRow[],
  options: {
    readonly hasNamespace: boolean;
    readonly isWide: boolean;
    readonly nowMs: number;
    readonly hasHeadings: boolean;
  },
  style: Style,
): readonly string[] {
  const columns = statusColumns(options);
  const { hasHeadings } = options;
  const lines = tableLines(rows, columns, { style, hasHeadings });
  const limit = style.columns;
  if (limit === undefined || lines.every((line) => widthOf(plain(line)) <= limit)) return lines;
  const [heading, ...others] = tableLines(rows, columns.slice(0, -1), { style, hasHeadings });
  const body = hasHeadings ? others : [heading ?? "", ...others];
  const below = body.flatMap((line, index) => {
    const row = rows[index];
    const note = row === undefined ? "" : noteOf(row, options.nowMs);
    return [line, ...(note === "" ? [] : wrap(style.text(`  ${note}`), limit, "  "))];
  });
  return hasHeadings && heading !== undefined ? [heading, ...below] : below;
}

/** Without colors. */
function plain(line: string): string {
  return stripVTControlCharacters(line);
}

const wideTarget: readonly Column<StatusRow>[] = [
  { heading: "TARGET", cell: ({ target }) => `${target.kind}/${target.name}`, shrinksTo: 12 },
  { heading: "MODE", cell: ({ mode }) => mode },
];

const wideRest: readonly Column<StatusRow>[] = [
  {
    heading: "METRICS",
    cell: ({ metrics }) =>
      metrics
        .map(({ name, value, target }) => `${name} ${shownQuantity(value)}/${shownQuantity(target)}`)
        .join(", ") || notApplicable,
    shrinksTo: 12,
  },
  { heading: "WRITER", cell: ({ countWriter = notKnown }) => countWriter, shrinksTo: 10 },
];

/** Before windows and limits. */
function wantOf({ proposed, heldBy, desired, source, action }: StatusRow): string {
  if (proposed !== null) return String(proposed);
  if (action === "none") return notKnown;
  // Outside its bounds no metric is read; and a status has the end of the decision only.
  return source === "status" && heldBy === "stabilize" ? notKnown : String(desired);
}

function boundsOf({ minReplicas, maxReplicas }: StatusRow): string {
  return maxReplicas === undefined ? notKnown : `${minReplicas ?? 1}-${maxReplicas}`;
}

/** The metric that decided; of a status the only one, or the one that is furthest over its target. */
function decisive({ decidedBy, metrics, action }: StatusRow) {
  if (decidedBy !== null) return metrics[decidedBy];
  if (action === "none") return undefined;
  return metrics.reduce<StatusRow["metrics"][number] | undefined>(
    (best, metric) => ((metric.ratio ?? -1) > (best?.ratio ?? -1) ? metric : best),
    undefined,
  );
}

function decidedByOf(row: StatusRow): string {
  return decisive(row)?.name ?? notApplicable;
}

export function ratioNumber(row: StatusRow): number | undefined {
  return decisive(row)?.ratio;
}

function ratioOf(row: StatusRow): string | undefined {
  const ratio = ratioNumber(row);
  return ratio === undefined ? undefined : ratioText(ratio);
}

const quiet: ReadonlySet<HeldBy> = new Set(["none"]);

function heldByOf(row: StatusRow): Cell {
  const { heldBy } = row;
  if (quiet.has(heldBy)) return notApplicable;
  const state = summaryState(row);
  if (state === "failed") return { text: heldBy, tone: "bad" };
  return state === "limited" && heldBy === "max" ? { text: heldBy, tone: "warning" } : heldBy;
}

/** Why nothing was decided, when it is free again, or how little is known. */
export function noteOf(row: StatusRow, nowMs: number): string {
  const failed = row.metrics.find(({ error }) => error !== undefined);
  const freeMs = row.notBefore === null ? undefined : instantMs(row.notBefore);
  const parts = [
    row.action === "none" && failed?.error !== undefined
      ? `${failed.error.split(":")[0] ?? ""} ${failed.name}`
      : "",
    freeMs === undefined ? "" : `free ${timeText(freeMs, nowMs)}`,
    row.verdict === "differs" ? "differs from the status" : "",
    row.note ?? "",
  ];
  return parts.filter((part) => part !== "").join("; ");
}
