// The table of objects: what each has, wants, and what holds it.
import { type HeldBy, instantMs } from "@plimsoll/core";
import type { SummaryRow } from "../decisions/source.ts";
import { stateOf } from "../decisions/state.ts";
import { ratioText } from "../explain/metric-words.ts";
import { ageOf, timeText } from "../output/age.ts";
import { type Cell, type Column, notApplicable, notKnown } from "../output/table.ts";

/** A row, with who wrote the replicas last where that was read. */
export interface StatusRow extends SummaryRow {
  readonly countWriter?: string;
}

/** The columns of a list of one namespace or of all. */
export function statusColumns(options: {
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
    ...(hasNamespace
      ? [{ heading: "NAMESPACE", cell: ({ namespace }: StatusRow) => namespace, shrinksTo: 8 }]
      : []),
    { heading: "NAME", cell: ({ name }) => name, shrinksTo: 12 },
    ...(isWide ? wideTarget : []),
    right("NOW", ({ current }) => String(current)),
    right("WANT", wantOf),
    { heading: "MIN-MAX", cell: boundsOf },
    { heading: "DECIDED BY", cell: decidedByOf, shrinksTo: 10 },
    { heading: "RATIO", cell: (row) => ratioOf(row) ?? notApplicable },
    { heading: "HELD BY", cell: heldByOf },
    { heading: "SINCE", cell: ({ since }) => ageOf(since, nowMs) ?? notApplicable },
    ...(isWide ? wideRest : []),
    { heading: "NOTE", cell: (row) => noteOf(row, nowMs), shrinksTo: 8 },
  ];
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
        .map(({ name, value = notKnown, target = notKnown }) => `${name} ${value}/${target}`)
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
  const state = stateOf(row);
  if (state === "withoutMetrics") return { text: heldBy, tone: "bad" };
  return state === "atLimit" && heldBy === "max" ? { text: heldBy, tone: "warning" } : heldBy;
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
