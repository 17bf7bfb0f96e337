// The table of the fleet: only the rows in view are in the document.
import type { SummaryRow } from "@plimsoll/decisions";
import type { ReadonlySignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useConsole } from "../context/console.ts";
import type { OptionalColumn } from "../context/settings.ts";
import { FleetRow, rowAge } from "./fleet-row.tsx";
import { useRowKeys } from "./row-keys.ts";
import { nextSort, type Selection, type Sort } from "./select.ts";
import { useWindow } from "./use-window.ts";

interface Column {
  readonly name: string;
  readonly class: string;
  readonly title: string;
  readonly sort?: Sort;
}

const columns: readonly Column[] = [
  { name: "Namespace", class: "c-ns", title: "Namespace of the autoscaler", sort: "name" },
  { name: "Name", class: "c-name", title: "Name of the autoscaler" },
  { name: "Now", class: "c-now num", title: "Current replicas of the target", sort: "now" },
  {
    name: "Want",
    class: "c-want num",
    title: "Replicas that the metrics call for, before windows, policies, and limits",
    sort: "want",
  },
  { name: "Min – max", class: "c-range", title: "Limits, those of schedules included" },
  { name: "Decided by", class: "c-by", title: "The metric that calls for the most replicas" },
  { name: "Ratio", class: "c-ratio num", title: "Value of that metric divided by its target", sort: "ratio" },
  {
    name: "Held by",
    class: "c-held",
    title: "What keeps the replicas from what the metrics call for",
    sort: "held",
  },
  { name: "Since", class: "c-since num", title: "How long this has been so", sort: "since" },
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
  const { settings } = useConsole();
  const body = useRef<HTMLTableSectionElement>(null);
  const { first, end, above, below, rowPx } = useWindow(body, rows.length);
  const cursor = useRowKeys(rows, body, rowPx);
  const extra = settings.columns.value;
  const now = nowMs.value;
  return (
    <table class="fleet" aria-rowcount={rows.length + 1} aria-label="Autoscalers">
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column) => (
            <Heading key={column.name} column={column} selection={selection} />
          ))}
          {extra.map((name) => (
            <Heading key={name} column={headings[name]} selection={selection} />
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
            columns={extra}
            age={rowAge(row, now)}
          />
        ))}
        {below === 0 ? null : <Gap height={below} />}
      </tbody>
    </table>
  );
}

const headings: Readonly<Record<OptionalColumn, Column>> = {
  target: { name: "Target", class: "c-more", title: "What is scaled" },
  mode: { name: "Mode", class: "c-more", title: "Whether the autoscaler writes the replicas" },
  metrics: { name: "Metrics", class: "c-more", title: "Value and target of each metric" },
  note: { name: "Note", class: "c-note", title: "What happens next, or what is wrong" },
};

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
  const { name, sort, title } = column;
  if (sort === undefined)
    return (
      <th scope="col" class={column.class} title={title}>
        {name}
      </th>
    );
  const isSorted = selection.sort === sort;
  const order = selection.isDescending ? "descending" : "ascending";
  return (
    <th scope="col" class={column.class} title={title} aria-sort={isSorted ? order : "none"}>
      <button type="button" onClick={() => router.set(nextSort(selection, sort))}>
        {name}
        <span class="sort" aria-hidden="true">
          {isSorted ? (selection.isDescending ? "↓" : "↑") : ""}
        </span>
      </button>
    </th>
  );
}
