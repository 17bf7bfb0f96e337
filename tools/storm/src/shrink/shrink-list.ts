// Finds a small part of a list that still has a property: the algorithm "ddmin" of Zeller and Hildebrandt.

/** Calls `has` with parts of the list until none of its items can be left out, or `isOver`. */
export async function shrinkList<T>(
  list: readonly T[],
  has: (part: readonly T[]) => Promise<boolean>,
  isOver: () => boolean,
): Promise<readonly T[]> {
  let kept = list;
  let pieces = 2;
  if (kept.length > 0 && !isOver() && (await has([]))) return [];
  while (kept.length >= 2 && !isOver()) {
    const smaller = await firstWithoutAPiece(kept, pieces, has, isOver);
    if (smaller !== undefined) {
      kept = smaller;
      pieces = Math.max(pieces - 1, 2);
    } else if (pieces >= kept.length) return kept;
    else pieces = Math.min(pieces * 2, kept.length);
  }
  return kept;
}

async function firstWithoutAPiece<T>(
  list: readonly T[],
  pieces: number,
  has: (part: readonly T[]) => Promise<boolean>,
  isOver: () => boolean,
): Promise<readonly T[] | undefined> {
  for (let piece = 0; piece < pieces && !isOver(); piece += 1) {
    const [from, to] = [piece, piece + 1].map((at) => Math.floor((at * list.length) / pieces));
    const rest = [...list.slice(0, from), ...list.slice(to)];
    if (await has(rest)) return rest;
  }
  return undefined;
}
