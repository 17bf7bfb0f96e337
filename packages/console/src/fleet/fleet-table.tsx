// The table of the fleet: only the rows in view are in the document.
import type { SummaryRow } from "@plimsoll/decisions";
import type { ReadonlySignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useConsole } from "../context/console.ts";
import { FleetRow, rowAge } from "./fleet-row.tsx";
import { useRowKeys } from "./row-keys.ts";
import { nextSort, type Selection, type Sort } from "./select.ts";
import { useWindow } from "./use-window.ts";

type Column = readonly [name: string, className: string, title: string, sort?: Sort];

const columns: readonly Column[] = [
  ["Namespace", "c-ns", "Namespace of the autoscaler", "name"],
  ["Name", "c-name", "Name of the autoscaler"],
  ["Now", "c-now num", "Current replicas of the target", "now"],
  ["Want", "c-want num", "Replicas that the metrics call for, before windows, policies, and limits", "want"],
  ["Min – max", "c-range", "Limits, those of schedules included"],
  ["Decided by", "c-by", "The metric that calls for the most replicas"],
  ["Ratio", "c-ratio num", "Value of that metric divided by its target", "ratio"],
  ["Held by", "c-held", "What keeps the replicas from what the metrics call for", "held"],
  ["Since", "c-since num", "How long this has been so", "since"],
  ["Note", "c-note", "What happens next, or what is wrong"],
];

/**
 * Rows at the same place share their elements: a filter changes texts and makes nothing new. More than there are in any
 * view, so that scrolling moves none.
 */
const slots = 512;

interface TableProps {
  readonly rows: readonly SummaryRow[];
  readonly selection: Selection;
  readonly nowMs: ReadonlySignal<number>;
}

export function FleetTable({ rows, selection, nowMs }: TableProps) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { first, end, above, below, rowPx } = useWindow(body, rows.length);
  const cursor = useRowKeys(rows, body, rowPx);
  const now = nowMs.value;
  return (
    <table class="fleet" aria-rowcount={rows.length + 1} aria-label="Autoscalers">
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column) => (
            <Heading key={column[0]} column={column} selection={selection} />
          ))}
        </tr>
      </thead>
      <tbody ref={body} onClick={openRow}>
        {above === 0 ? null : <Gap height={above} />}
        {rows.slice(first, end).map((row, offset) => (
          <FleetRow
            key={(first + offset) % slots}
            row={row}
            index={first + offset}
            isCursor={first + offset === cursor}
            age={rowAge(row, now)}
          />
        ))}
        {below === 0 ? null : <Gap height={below} />}
      </tbody>
    </table>
  );
}

/** Anywhere in a row is its link, unless a text was selected there. */
function openRow({ target }: MouseEvent): void {
  if (!(target instanceof Element) || target.closest("a") !== null) return;
  if (getSelection()?.isCollapsed !== false) target.closest("tr")?.querySelector("a")?.click();
}

/** The height of the rows that are not in the document. One cell: more would add columns where some are hidden. */
function Gap({ height }: { readonly height: number }) {
  return (
    <tr class="gap" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  );
}

function Heading({ column, selection }: { readonly column: Column; readonly selection: Selection }) {
  const { router } = useConsole();
  const [name, className, title, sort] = column;
  if (sort === undefined)
    return (
      <th scope="col" class={className} title={title}>
        {name}
      </th>
    );
  const isSorted = selection.sort === sort;
  const order = selection.isDescending ? "descending" : "ascending";
  return (
    <th scope="col" class={className} title={title} aria-sort={isSorted ? order : "none"}>
      <button type="button" onClick={() => router.set(nextSort(selection, sort))}>
        {name}
        <span class="sort" aria-hidden="true">
          {isSorted ? (selection.isDescending ? "↓" : "↑") : ""}
        </span>
      </button>
    </th>
  );
}
