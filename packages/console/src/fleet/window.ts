// Which rows of a long table are in view.

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
