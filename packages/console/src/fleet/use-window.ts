// Follows the scrolling of the page, and says which rows are in view.
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Rows from `first` to before `end`, and the height of what is above and below them. */
export interface RowWindow {
  readonly first: number;
  readonly end: number;
  readonly above: number;
  readonly below: number;
}

/** Rows that are kept ready beyond each edge while the table is scrolled. */
const spare = 8;
/** At its top a letter of the filter draws as few as there can be. */
const spareAtTop = 4;

/** `topPx`: how far the first row is below the top of the view; negative once it is scrolled away. */
export function windowOf(
  count: number,
  rowPx: number,
  { topPx, viewPx }: { readonly topPx: number; readonly viewPx: number },
): RowWindow {
  const firstSeen = Math.floor(-topPx / rowPx);
  const seen = Math.ceil(viewPx / rowPx) + 1;
  const ready = topPx > 0 ? spareAtTop : spare;
  const first = Math.min(Math.max(0, firstSeen - ready), Math.max(0, count - 1));
  const end = Math.min(count, Math.max(first + 1, firstSeen + seen + ready));
  return { first, end, above: first * rowPx, below: (count - end) * rowPx };
}

/** A row has one line; two where the page is narrow. */
const rowPx = 34;
const narrowRowPx = 58;
const narrow = "(max-width: 720px)";

interface Place {
  readonly topPx: number;
  readonly viewPx: number;
  readonly rowPx: number;
}

/** `body`: the element whose rows they are. */
export function useWindow(
  body: RefObject<HTMLElement | null>,
  count: number,
): RowWindow & { readonly rowPx: number } {
  const [place, set] = useState<Place>(() => ({
    topPx: 0,
    viewPx: innerHeight,
    rowPx: matchMedia(narrow).matches ? narrowRowPx : rowPx,
  }));
  useLayoutEffect(() => {
    let frame = 0;
    const read = (): void => {
      frame = 0;
      const topPx = body.current?.getBoundingClientRect().top ?? 0;
      const next = { topPx, viewPx: innerHeight, rowPx: matchMedia(narrow).matches ? narrowRowPx : rowPx };
      set((before) => (isSame(before, next, count) ? before : next));
    };
    const later = (): void => {
      frame ||= requestAnimationFrame(read);
    };
    read();
    addEventListener("scroll", later, { passive: true });
    addEventListener("resize", later);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", later);
      removeEventListener("resize", later);
    };
  }, [count]);
  return { ...windowOf(count, place.rowPx, place), rowPx: place.rowPx };
}

/** Within the rows that are kept ready nothing has to be drawn. */
function isSame(one: Place, other: Place, count: number): boolean {
  if (one.rowPx !== other.rowPx || one.viewPx !== other.viewPx) return false;
  const [a, b] = [one, other].map((place) => windowOf(count, place.rowPx, place));
  return a !== undefined && b !== undefined && Math.abs(a.first - b.first) < 4 && Math.abs(a.end - b.end) < 4;
}
