// The table of objects: what each has, wants, and what holds it.
import { instantMs, type SummaryState, summaryState } from "@plimsoll/core";
import { showRatio } from "@plimsoll/core/internal/values";
import { failureText, type SummaryRow } from "@plimsoll/decisions";
import { ageOf, timeText } from "../../output/age.ts";
import { shownQuantity } from "../../output/metric-words.ts";
import type { Style } from "../../output/style.ts";
import {
  type Cell,
  type Column,
  fits,
  notApplicable,
  notKnown,
  tableLines,
  withBelow,
} from "../../output/table.ts";
import { wrap } from "../../output/width.ts";
import { noteBeside } from "./document.ts";

interface ColumnOptions {
  readonly hasNamespace: boolean;
  readonly isWide: boolean;
  readonly nowMs: number;
  /** By the uid of the object. */
  readonly writers?: ReadonlyMap<string, string>;
}

/** The columns of a list of one namespace or of all. */
function statusColumns({
  hasNamespace,
  isWide,
  nowMs,
  writers,
}: ColumnOptions): readonly Column<SummaryRow>[] {
  const right = (heading: string, cell: (row: SummaryRow) => Cell): Column<SummaryRow> => ({
    heading,
    cell,
    align: "right",
  });
  const namespaces: Column<SummaryRow> = {
    heading: "NAMESPACE",
    cell: ({ namespace }) => namespace,
    cutsTo: 12,
  };
  return [
    ...(hasNamespace ? [namespaces] : []),
    { heading: "NAME", cell: ({ name }) => name, cutsTo: 24 },
    ...(isWide ? wideTarget : []),
    right("NOW", ({ current }) => String(current)),
    right("WANT", wantOf),
    { heading: "MIN-MAX", cell: boundsOf, drops: 3 },
    { heading: "DECIDED BY", cell: decidedByOf, shrinksTo: 16, drops: 4 },
    { heading: "RATIO", cell: (row) => ratioOf(row) ?? notApplicable, drops: 2 },
    { heading: "HELD BY", cell: heldByOf },
    { heading: "SINCE", cell: ({ since }) => ageOf(since, nowMs) ?? notApplicable, drops: 1 },
    ...(isWide ? wideRest(writers) : []),
    { heading: "NOTE", cell: (row) => noteOf(row, nowMs) },
  ];
}

/** The table; where it is too wide, a note stands below its row, because it says what is wrong. */
export function statusLines(
  rows: readonly SummaryRow[],
  options: ColumnOptions & { readonly hasHeadings: boolean },
  style: Style,
): readonly string[] {
  const columns = statusColumns(options);
  const { hasHeadings } = options;
  const lines = tableLines(rows, columns, { style, hasHeadings, isWhole: true });
  if (fits(lines, style)) return lines;
  const narrow = tableLines(rows, columns.slice(0, -1), { isWhole: options.isWide, style, hasHeadings });
  return withBelow(narrow, hasHeadings, (index) => {
    const row = rows[index];
    const note = row === undefined ? "" : noteOf(row, options.nowMs);
    return note === "" ? [] : wrap(style.text(`  ${note}`), style.tableColumns, "  ");
  });
}

const wideTarget: readonly Column<SummaryRow>[] = [
  { heading: "TARGET", cell: ({ target }) => `${target.kind}/${target.name}`, shrinksTo: 12 },
  { heading: "MODE", cell: ({ mode }) => mode },
];

const wideRest = (writers: ColumnOptions["writers"]): readonly Column<SummaryRow>[] => [
  {
    heading: "METRICS",
    cell: ({ metrics }) =>
      metrics
        .map(
          ({ name, value, target, isBytes }) =>
            `${name} ${shownQuantity(value, isBytes)}/${shownQuantity(target, isBytes)}`,
        )
        .join(", ") || notApplicable,
    shrinksTo: 12,
  },
  { heading: "WRITER", cell: ({ uid }) => writers?.get(uid) ?? notKnown, shrinksTo: 10 },
];

/** Before windows and limits. */
function wantOf({ proposed, heldBy, desired, source, action }: SummaryRow): string {
  if (proposed !== null) return String(proposed);
  if (action === "none") return notKnown;
  // Outside its bounds no metric is read; and a status has the end of the decision only.
  return source === "status" && heldBy === "stabilize" ? notKnown : String(desired);
}

function boundsOf({ min, max }: SummaryRow): string {
  return max === undefined ? notKnown : `${min ?? 1}-${max}`;
}

/** The metric that decided; of a status the only one, or the one that is furthest over its target. */
function decisive({ decidedBy, metrics, action }: SummaryRow) {
  if (decidedBy !== null) return metrics[decidedBy];
  if (action === "none") return undefined;
  return metrics.reduce<SummaryRow["metrics"][number] | undefined>(
    (best, metric) => (Number(metric.ratio ?? -1) > Number(best?.ratio ?? -1) ? metric : best),
    undefined,
  );
}

function decidedByOf(row: SummaryRow): string {
  return decisive(row)?.name ?? notApplicable;
}

export function ratioNumber(row: SummaryRow): number | undefined {
  const ratio = decisive(row)?.ratio;
  return typeof ratio === "number" ? ratio : undefined;
}

function ratioOf(row: SummaryRow): string | undefined {
  const ratio = ratioNumber(row);
  return ratio === undefined ? undefined : showRatio(ratio);
}

function heldByOf(row: SummaryRow): Cell {
  const { heldBy } = row;
  if (heldBy === "none") return notApplicable;
  const state = summaryState(row);
  if (state === "failed") return { text: heldBy, tone: "bad" };
  return state === "limited" && heldBy === "max" ? { text: heldBy, tone: "warning" } : heldBy;
}

/** Why nothing was decided, when it is free again, or how little is known. */
export function noteOf(row: SummaryRow, nowMs: number): string {
  const failed = row.metrics.find(({ error }) => error !== undefined);
  const freeMs = row.notBefore === null ? undefined : instantMs(row.notBefore);
  const parts = [
    row.action === "none" && failed !== undefined ? failureText(failed) : "",
    freeMs === undefined ? "" : `free ${timeText(freeMs, nowMs)}`,
    row.verdict === "differs" ? "differs from the status" : "",
    noteBeside(row) ?? "",
  ];
  return parts.filter((part) => part !== "").join("; ");
}

const wording: readonly (readonly [state: SummaryState, text: string])[] = [
  ["steady", "steady"],
  ["moving", "moving"],
  ["held", "held"],
  ["limited", "at a limit"],
  ["failed", "without metrics"],
  ["disabled", "disabled"],
];

/** "212 objects: 203 steady, 5 moving". */
export function countsText(total: number, counts: Readonly<Record<string, number>>): string {
  const parts = wording.flatMap(([state, text]) => {
    const count = counts[state] ?? 0;
    return count === 0 ? [] : [`${count} ${text}`];
  });
  const objects = `${total} object${total === 1 ? "" : "s"}`;
  return parts.length === 0 ? objects : `${objects}: ${parts.join(", ")}`;
}
