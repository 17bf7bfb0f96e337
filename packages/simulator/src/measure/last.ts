// Looks up what counts at an instant in lists that ascend.

/** Position of the last one that is not behind `value`; -1 where all are. */
export function lastAtOrBefore(ascending: readonly number[], value: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? Infinity) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Position of the last one before `value`; -1 where there is none. */
export function lastBefore(ascending: readonly number[], value: number): number {
  let at = lastAtOrBefore(ascending, value);
  while (at >= 0 && ascending[at] === value) at--;
  return at;
}
