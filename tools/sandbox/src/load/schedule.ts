// The value of a load over time.

export interface LoadPoint {
  /** Milliseconds after the load began to play. */
  readonly atMs: number;
  readonly value: number;
}

/** A demand over time: straight lines between the points, flat before the first and after the last. */
export interface Schedule {
  valueAt(atMs: number): number;
  /** Value times seconds between two instants, exact for the lines. */
  integral(fromMs: number, toMs: number): number;
}

/** Points with the same instant are a jump. Throws RangeError when there are none, or they are not in order. */
export function createSchedule(points: readonly LoadPoint[]): Schedule {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) throw new RangeError("a load needs at least one point");
  const areas = areasBefore(points);

  const areaUntil = (atMs: number): number => {
    if (atMs <= first.atMs) return ((atMs - first.atMs) / 1000) * first.value;
    const index = lastAtOrBefore(points, atMs);
    const from = points[index] ?? first;
    const seconds = (atMs - from.atMs) / 1000;
    return (areas[index] ?? 0) + (seconds * (from.value + valueAt(atMs))) / 2;
  };
  const valueAt = (atMs: number): number => {
    if (atMs < first.atMs) return first.value;
    const index = lastAtOrBefore(points, atMs);
    const from = points[index] ?? last;
    const to = points[index + 1];
    if (to === undefined) return from.value;
    return from.value + ((to.value - from.value) * (atMs - from.atMs)) / (to.atMs - from.atMs);
  };
  return { valueAt, integral: (fromMs, toMs) => areaUntil(toMs) - areaUntil(fromMs) };
}

/** The same demand from now on. */
export function constantSchedule(value: number): Schedule {
  return { valueAt: () => value, integral: (fromMs, toMs) => ((toMs - fromMs) / 1000) * value };
}

function areasBefore(points: readonly LoadPoint[]): readonly number[] {
  const areas: number[] = [];
  let area = 0;
  let before: LoadPoint | undefined;
  for (const point of points) {
    if (!Number.isFinite(point.value) || point.value < 0) throw new RangeError(`a load of ${point.value}`);
    if (before !== undefined) {
      if (point.atMs < before.atMs)
        throw new RangeError(`the point at ${point.atMs} ms comes after a later one`);
      area += (((point.atMs - before.atMs) / 1000) * (point.value + before.value)) / 2;
    }
    areas.push(area);
    before = point;
  }
  return areas;
}

function lastAtOrBefore(points: readonly LoadPoint[], atMs: number): number {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.atMs ?? 0) <= atMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
