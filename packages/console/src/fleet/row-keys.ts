// The cursor of the table: arrows and j, k move it, enter opens the object.
import type { SummaryRow } from "@plimsoll/decisions";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useConsole } from "../context/console.ts";
import { useKeys } from "../context/keys.ts";
import { objectRoute } from "../context/route.ts";

/** Height of what sticks to the top of the view. */
const stickyPx = 96;

/** The row that the cursor is on, which is the one that can be reached by Tab. */
export function useRowKeys(
  rows: readonly SummaryRow[],
  body: RefObject<HTMLTableSectionElement | null>,
  rowPx: number,
): number {
  const { keys, router } = useConsole();
  const [at, set] = useState(0);
  // Keys may come faster than rows are drawn. Undefined: the first key goes to the cursor itself.
  const place = useRef<number | undefined>(undefined);
  /** The row that gets the focus once it is drawn. */
  const wanted = useRef<number | undefined>(undefined);
  const last = Math.max(0, rows.length - 1);
  const cursor = Math.min(at, last);
  const move = (by: number) => () => {
    const next = place.current === undefined ? cursor : place.current + by;
    const inRange = Math.min(Math.max(0, next), last);
    place.current = inRange;
    set(inRange);
    reveal(body.current, inRange, rowPx);
    wanted.current = focusRow(body.current, inRange) ? undefined : inRange;
  };
  useEffect(() => {
    if (wanted.current !== undefined && focusRow(body.current, wanted.current)) wanted.current = undefined;
  });
  useEffect(() => {
    place.current = undefined;
    set(0);
  }, [rows.length === 0]);
  useKeys(keys, [
    { key: "ArrowDown", does: "next row", run: move(1) },
    { key: "j", does: "next row", run: move(1) },
    { key: "ArrowUp", does: "previous row", run: move(-1) },
    { key: "k", does: "previous row", run: move(-1) },
    {
      key: "Enter",
      does: "open",
      run: () => {
        const focused = document.activeElement;
        // What has the focus does its own.
        if (focused instanceof HTMLElement && focused.matches("a, button, select, input")) {
          focused.click();
          return;
        }
        const row = rows[cursor];
        if (row !== undefined) router.go(objectRoute(row));
      },
    },
  ]);
  return cursor;
}

/** @returns whether it is drawn */
function focusRow(body: HTMLElement | null, index: number): boolean {
  const link = body?.querySelector<HTMLElement>(`tr[data-index="${index}"] a`);
  link?.focus({ preventScroll: true });
  return link !== null && link !== undefined;
}

/** Scrolls no farther than it has to. */
function reveal(body: HTMLElement | null, index: number, rowPx: number): void {
  if (body === null) return;
  const top = body.getBoundingClientRect().top + index * rowPx;
  if (top < stickyPx) scrollBy({ top: top - stickyPx });
  else if (top + rowPx > innerHeight) scrollBy({ top: top + rowPx - innerHeight + 8 });
}
