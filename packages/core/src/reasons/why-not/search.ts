// Finds the edge of a range by a bounded number of queries.

/** A limit of queries, shared by several searches. */
export interface Budget {
  left: number;
}

/**
 * The lowest integer above `from` for which something holds, which then holds for all above; `from` itself counts as
 * one for which it does not. Undefined: it does not hold up to `to`, or the budget ran out.
 */
export function lowest(
  holds: (value: number) => boolean,
  range: { readonly from: number; readonly to: number; readonly guess: number },
  budget: Budget,
): number | undefined {
  let [below, above] = [range.from, range.to];
  let isAboveKnown = false;
  let pivot = Math.min(Math.max(range.guess, below + 1), above);
  let stride = 1;
  while (above - below > 1 || !isAboveKnown) {
    if (budget.left <= 0) return undefined;
    budget.left--;
    if (holds(pivot)) {
      above = pivot;
      isAboveKnown = true;
      pivot = Math.max(pivot - stride, Math.floor((below + above) / 2));
    } else {
      if (pivot >= range.to) return undefined;
      below = pivot;
      pivot = isAboveKnown
        ? Math.min(pivot + stride, Math.ceil((below + above) / 2))
        : Math.min(pivot + stride, range.to);
    }
    pivot = Math.min(Math.max(pivot, below + 1), isAboveKnown ? Math.max(above - 1, below + 1) : range.to);
    stride *= 4;
  }
  return above;
}
