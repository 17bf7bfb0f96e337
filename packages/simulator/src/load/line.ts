// The stretch of a cursor, as those write it that move it.

/** One straight stretch of a load, overwritten in place. */
export interface Line {
  fromMs: number;
  untilMs: number;
  perSecond: number;
  slope: number;
}

/** A stretch that is unknown yet. */
export function newLine(): Line {
  return { fromMs: -Infinity, untilMs: -Infinity, perSecond: 0, slope: 0 };
}

/** The line from one value at `fromMs` to another at `untilMs`, entered at `atMs`. */
export function setLine(
  line: Line,
  from: { readonly ms: number; readonly perSecond: number },
  until: { readonly ms: number; readonly perSecond: number },
  atMs: number,
): void {
  const slope = (until.perSecond - from.perSecond) / ((until.ms - from.ms) / 1000);
  line.fromMs = atMs;
  line.untilMs = until.ms;
  line.slope = slope;
  line.perSecond = from.perSecond + slope * ((atMs - from.ms) / 1000);
}

/** The same value until an instant. */
export function setLevel(line: Line, perSecond: number, atMs: number, untilMs: number): void {
  line.fromMs = atMs;
  line.untilMs = untilMs;
  line.slope = 0;
  line.perSecond = perSecond;
}

/** Further along the same line. */
export function slide(line: Line, atMs: number): void {
  line.perSecond += line.slope * ((atMs - line.fromMs) / 1000);
  line.fromMs = atMs;
}
