// One object as a row of the fleet.
import { summaryState } from "@plimsoll/core";
import { ageText } from "@plimsoll/core/internal/values";
import { isProblem, type SummaryRow } from "@plimsoll/decisions";
import { useMemo } from "preact/hooks";
import { Link } from "../context/link.tsx";
import { objectRoute } from "../context/route.ts";
import { RangeBar } from "../ui/range-bar.tsx";
import { clockText, heldWord, ratioText, stateWords } from "../ui/words.ts";

interface RowProps {
  readonly row: SummaryRow;
  /** From 0, among all that are selected. */
  readonly index: number;
  readonly isCursor: boolean;
  /** To the minute or second that the age shows, so that a row is drawn again only when it differs. */
  readonly age: string;
}

/** Drawn again only when something in it differs. */
export function FleetRow(props: RowProps) {
  const { row, index, isCursor, age } = props;
  return useMemo(() => <Cells {...props} />, [row, index, isCursor, age]);
}

function Cells({ row, index, isCursor, age }: RowProps) {
  const state = summaryState(row);
  const decider = row.decidedBy === null ? undefined : row.metrics[row.decidedBy];
  return (
    <tr
      class={isProblem(row) ? `row ${state} problem` : `row ${state}`}
      aria-rowindex={index + 2}
      data-index={index}
    >
      <td class="c-ns">{row.namespace}</td>
      <th scope="row" class="c-name">
        <Link to={objectRoute(row)} tabIndex={isCursor ? 0 : -1} title={`${row.namespace}/${row.name}`}>
          <span class="narrow-only muted">{row.namespace}/</span>
          {row.name}
        </Link>
        {row.resource === "workloadautoscalers" ? <abbr title="WorkloadAutoscaler">wla</abbr> : null}
      </th>
      <td class="c-now num">{row.current}</td>
      <td class="c-want num">{wantText(row)}</td>
      <td class="c-range">
        <RangeBar min={row.min} max={row.max} current={row.current} proposed={row.proposed} />
      </td>
      <td class="c-by" title={decider?.name}>
        {decider?.name ?? "—"}
      </td>
      <td class="c-ratio num">{ratioText(decider?.ratio)}</td>
      <td class="c-held">
        <span class={`state ${state}`}>
          <span class="sign" aria-hidden="true">
            {stateWords[state].sign}
          </span>
          {heldText(row)}
        </span>
      </td>
      <td class="c-since num">{age}</td>
      <td class="c-note" title={noteText(row)}>
        {noteText(row)}
      </td>
    </tr>
  );
}

/** Before windows and limits; "?" where nothing was proposed, as the reason is in its own column. */
function wantText({ proposed, action, desired }: SummaryRow): string {
  if (proposed !== null) return String(proposed);
  return action === "scale" ? String(desired) : "?";
}

function heldText(row: SummaryRow): string {
  if (row.heldBy !== "none") return heldWord(row.heldBy);
  return row.action === "scale" ? "moving" : "steady";
}

function noteText(row: SummaryRow): string {
  const { note = "", mode, source, verdict } = row;
  const stopped = mode === "paused" || mode === "yielded" ? mode : "";
  const differs = verdict === "differs" ? "differs from the built-in controller" : "";
  const parts = [note, stopped, source === "status" ? "status only" : "", differs, nextText(row)];
  return parts.filter((part) => part !== "").join(" · ");
}

/** What happens next, or which limit keeps it from that. */
function nextText(row: SummaryRow): string {
  const { heldBy, mode, current, desired, proposed, action, notBefore, min, max } = row;
  if (action === "scale")
    return `${mode === "shadow" ? "would scale" : "scaling"} from ${current} to ${desired}`;
  if (proposed === null || proposed === current) return "";
  const isDown = proposed < current;
  const limit = isDown ? min : max;
  const calls = `metrics call for ${proposed}`;
  if (heldBy === "min" || heldBy === "max") return `${calls}, ${heldBy}Replicas is ${limit}`;
  if (heldBy === "schedule") return `${calls}, a schedule sets ${limit}`;
  return notBefore === null ? "" : `can scale ${isDown ? "down" : "up"} at ${clockText(notBefore)}`;
}

export function rowAge({ since }: SummaryRow, nowMs: number): string {
  return since === null ? "—" : ageText(nowMs - Date.parse(since));
}
