// A table that is sorted by its headings and shown a page at a time; who shows it keeps both.
import type { ComponentChildren } from "preact";
import type { Router } from "../context/router.ts";
import { plural } from "./words.ts";

export interface TableColumn<T> {
  readonly id: string;
  readonly name: string;
  /** What the column has, shown over its heading. */
  readonly title: string;
  readonly isNumber?: boolean;
  /** What is compared; numbers as such, quantities by what they amount to. */
  readonly value: (row: T) => string | number;
  readonly text?: (row: T) => string;
  /** In place of the text. */
  readonly cell?: (row: T) => ComponentChildren;
}

type More<T> = Pick<TableColumn<T>, "isNumber" | "text" | "cell">;

/** A column in one line. */
export function column<T>(
  [id, name, title]: readonly [id: string, name: string, title: string],
  value: TableColumn<T>["value"],
  more: More<T> = {},
): TableColumn<T> {
  return { id, name, title, value, ...more };
}

/** How a table is sorted, and which page of it is shown. */
export interface TableState {
  /** Id of a column, and "down" behind it; empty: as the rows come. */
  readonly sort: string;
  /** From 1. */
  readonly page: number;
}

export interface TableControl {
  readonly state: TableState;
  readonly onState: (state: TableState) => void;
}

/** Keeps the order and the page of a table in the address. `name`: of the parameters. */
export function tableControl(router: Router, name: string): TableControl {
  const { params } = router.route.value;
  const page = Number(params[`${name}-page`] ?? 1);
  return {
    state: { sort: params[name] ?? "", page: Number.isInteger(page) && page > 0 ? page : 1 },
    onState: ({ sort, page: next }) =>
      router.set({ [name]: sort, [`${name}-page`]: next === 1 ? "" : String(next) }),
  };
}

interface SortedTableProps<T> extends TableControl {
  readonly label: string;
  readonly columns: readonly TableColumn<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

const pageSize = 25;

export function SortedTable<T>({ label, columns, rows, keyOf, state, onState }: SortedTableProps<T>) {
  const [id, order] = state.sort.split(" ");
  const column = columns.find((one) => one.id === id);
  const sorted = column === undefined ? rows : rows.toSorted(comparing(column, order === "down"));
  const pages = Math.max(1, Math.ceil(rows.length / pageSize));
  const first = Math.min(Math.max(1, state.page), pages) * pageSize - pageSize;
  return (
    <div class="sorted">
      <div class="scroller" tabIndex={0} role="group" aria-label={label}>
        <table class="plain" aria-rowcount={rows.length + 1}>
          <thead>
            <tr>
              {columns.map((one) => (
                <Heading
                  key={one.id}
                  column={one}
                  order={one.id === id ? (order ?? "up") : undefined}
                  onSort={(sort) => onState({ sort, page: 1 })}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.slice(first, first + pageSize).map((row, index) => (
              <tr key={keyOf(row)} aria-rowindex={first + index + 2}>
                {columns.map((one, place) => {
                  const text = (one.cell ?? one.text ?? one.value)(row);
                  const name = one.isNumber === true ? "num" : "";
                  return place === 0 ? (
                    <th key={one.id} scope="row" class={name}>
                      {text}
                    </th>
                  ) : (
                    <td key={one.id} class={name} data-name={one.name}>
                      {text}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Pager
        page={first / pageSize + 1}
        pages={pages}
        what={plural(rows.length, "row")}
        onPage={(page) => onState({ ...state, page })}
      />
    </div>
  );
}

function comparing<T>(column: TableColumn<T>, isDown: boolean): (one: T, other: T) => number {
  const sign = isDown ? -1 : 1;
  return (one, other) => {
    const [a, b] = [column.value(one), column.value(other)];
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  };
}

interface HeadingProps<T> {
  readonly column: TableColumn<T>;
  /** Undefined: the table is sorted by another one. */
  readonly order: string | undefined;
  readonly onSort: (sort: string) => void;
}

function Heading<T>({ column, order, onSort }: HeadingProps<T>) {
  const { id, isNumber, name, title } = column;
  const direction = order === undefined ? "none" : order === "down" ? "descending" : "ascending";
  return (
    <th scope="col" class={isNumber === true ? "num" : ""} title={title} aria-sort={direction}>
      <button type="button" onClick={() => onSort(order === "up" ? `${id} down` : id)}>
        {name}
        <span class="sort" aria-hidden="true">
          {{ none: "", descending: "↓", ascending: "↑" }[direction]}
        </span>
      </button>
    </th>
  );
}

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly what: string;
  readonly onPage: (page: number) => void;
}

function Pager({ page, pages, what, onPage }: PagerProps) {
  if (pages === 1) return null;
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <button type="button" class="button" disabled={page === 1} onClick={() => onPage(page - 1)}>
        previous
      </button>
      <span>
        page {page} of {pages}, {what}
      </span>
      <button type="button" class="button" disabled={page === pages} onClick={() => onPage(page + 1)}>
        next
      </button>
    </nav>
  );
}
