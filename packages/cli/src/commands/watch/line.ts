// One decision in one line.
import { type Decision, instantMs } from "@plimsoll/core";
import type { SummaryRow } from "@plimsoll/decisions";
import { timeText } from "../../output/age.ts";
import type { ObjectError } from "../../output/document.ts";
import { shownQuantity } from "../../output/metric-words.ts";
import type { Style, Tone } from "../../output/style.ts";
import { padEnd, wrap } from "../../output/width.ts";
import { noteBeside, type RowDocument, statusRow } from "../status/document.ts";

/** Equal for decisions that say the same: values of metrics and the end of a window change all the time. */
export function decisionKey(row: SummaryRow): string {
  const { current, desired, proposed, action, heldBy } = row;
  return JSON.stringify([current, desired, proposed, action, heldBy, noteBeside(row)]);
}

const [countsWidth, actionWidth, proposalWidth] = [6, 5, 21];
/** Of the lines that go on: below the counts. */
const indent = " ".repeat(10);

/** Such as "10:04:32  8 -> 5  scale  proposed 5 (cpu 33%)". */
export function watchLines(row: SummaryRow, style: Style, nowMs: number): readonly string[] {
  const { current, desired, action } = row;
  const atMs = instantMs(row.at);
  const counts = `${current} ${action === "scale" ? "->" : "="} ${action === "none" ? "?" : desired}`;
  const line = [
    atMs === undefined ? "        " : timeText(atMs, nowMs),
    padEnd(counts, countsWidth),
    padEnd(action, actionWidth),
    padEnd(style.text(proposalOf(row)), proposalWidth),
    style.text(heldText(row, nowMs)),
  ].join("  ");
  return wrap(line.trimEnd(), style.tableColumns, indent).map((part) => style.paint(toneOf(row), part));
}

function toneOf({ action, heldBy }: SummaryRow): Tone {
  if (action === "none" && heldBy !== "disabled") return "bad";
  return action === "scale" ? "strong" : "muted";
}

function proposalOf({ proposed, decidedBy, metrics }: SummaryRow): string {
  if (proposed === null) {
    const failed = metrics.find(({ error }) => error !== undefined);
    return failed === undefined ? "no proposal" : `${failed.error?.split(":")[0] ?? ""} ${failed.name}`;
  }
  const metric = decidedBy === null ? undefined : metrics[decidedBy];
  if (metric === undefined) return `proposed ${proposed}`;
  return `proposed ${proposed} (${metric.name}${metric.value === null ? "" : ` ${shownQuantity(metric.value)}`})`;
}

function heldText(row: SummaryRow, nowMs: number): string {
  const { heldBy, notBefore, action } = row;
  const note = noteBeside(row);
  const isNamed = heldBy !== "none" && (action !== "none" || heldBy === "disabled");
  const freeMs = notBefore === null ? undefined : instantMs(notBefore);
  const until = freeMs === undefined ? "" : ` until ${timeText(freeMs, nowMs)}`;
  const held = isNamed ? `${heldBy}${until}` : "";
  return note === undefined || action === "none" ? held : `${held}${held === "" ? "" : "  "}${note}`;
}

/** A decision for programs; fields are only added within one version of the schema. */
export interface WatchDocument extends RowDocument {
  readonly schema: "plimsoll/watch/v1";
  /** As `decide` of the core package gives it; null: only the status is known. */
  readonly decision: object | null;
  /** Since the document before. */
  readonly notes: readonly string[];
  /** What ends the command is written to the standard error. */
  readonly errors: readonly ObjectError[];
}

export function watchDocument(
  row: SummaryRow,
  decision: Decision | undefined,
  notes: readonly string[],
): WatchDocument {
  return { schema: "plimsoll/watch/v1", ...statusRow(row), decision: decision ?? null, notes, errors: [] };
}
