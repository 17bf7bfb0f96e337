// Few stretches of a day out of many slots: never below what a slot needs.

/** From one slot until before another, at least so many pods. */
export interface FloorStretch {
  readonly from: number;
  readonly to: number;
  readonly floor: number;
}

/**
 * Stretches whose floor is above the base, at most so many. Of two that lie beside each other, those are merged first
 * that add the fewest pod-slots.
 */
export function mergeSlots(
  needs: readonly number[],
  base: number,
  maxStretches: number,
): readonly FloorStretch[] {
  let stretches: readonly FloorStretch[] = joined(
    needs.map((need, at) => ({ from: at, to: at + 1, floor: Math.max(base, need) })),
  );
  const above = (): readonly FloorStretch[] => stretches.filter(({ floor }) => floor > base);
  while (above().length > maxStretches) stretches = joined(withCheapestMerge(stretches));
  return above();
}

function withCheapestMerge(stretches: readonly FloorStretch[]): readonly FloorStretch[] {
  let best = { at: 0, added: Infinity };
  for (let at = 0; at + 1 < stretches.length; at++) {
    const added = addedBy(stretches[at], stretches[at + 1]);
    if (added < best.added) best = { at, added };
  }
  return stretches.flatMap((own, at): readonly FloorStretch[] => {
    const next = stretches[at + 1];
    if (at === best.at && next !== undefined) return [mergedOf(own, next)];
    return at === best.at + 1 ? [] : [own];
  });
}

function mergedOf(a: FloorStretch, b: FloorStretch): FloorStretch {
  return { from: a.from, to: b.to, floor: Math.max(a.floor, b.floor) };
}

/** Pod-slots more than both have. */
function addedBy(a: FloorStretch | undefined, b: FloorStretch | undefined): number {
  if (a === undefined || b === undefined) return Infinity;
  const floor = Math.max(a.floor, b.floor);
  return (floor - a.floor) * (a.to - a.from) + (floor - b.floor) * (b.to - b.from);
}

/** Neighbors of the same floor are one. */
function joined(stretches: readonly FloorStretch[]): readonly FloorStretch[] {
  const found: FloorStretch[] = [];
  for (const own of stretches) {
    const last = found.at(-1);
    if (last !== undefined && last.floor === own.floor) found[found.length - 1] = mergedOf(last, own);
    else found.push(own);
  }
  return found;
}
