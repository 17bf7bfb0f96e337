// Lines, steps and spans of a series as paths of SVG.
import { highest } from "./terminal-plot.ts";

/** Where values are drawn. */
export interface Plot {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** The value at the top. */
  readonly max: number;
  readonly maxPoints: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line through the values. */
export function linePath(values: readonly number[], plot: Plot): string {
  return pointsOf(values, plot)
    .map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${x} ${y}`)
    .join("");
}

/** The area below the values. */
export function areaPath(values: readonly number[], plot: Plot): string {
  const base = plot.top + plot.height;
  return `M${plot.left} ${base}${pointsOf(values, plot)
    .map(({ x, y }) => `L${x} ${y}`)
    .join("")}L${plot.left + plot.width} ${base}Z`;
}

/** Values that stay until they change: only the changes are drawn. */
export function stepPath(values: readonly number[], plot: Plot): string {
  let path = "";
  let last: Point | undefined;
  for (const { x, y } of pointsOf(values, plot)) {
    if (last === undefined) path += `M${x} ${y}`;
    else if (y !== last.y) path += `H${x}V${y}`;
    last = { x, y };
  }
  return last === undefined ? "" : `${path}H${plot.left + plot.width}`;
}

/** Where values are above zero. */
export function spans(
  values: readonly number[],
  plot: Plot,
): readonly { readonly x: number; readonly width: number }[] {
  const columns = highest(values, Math.min(plot.maxPoints, values.length));
  const step = plot.width / Math.max(1, columns.length);
  const found: { x: number; width: number }[] = [];
  for (const [index, value] of columns.entries()) {
    if (value <= 0) continue;
    const x = rounded(plot.left + index * step);
    const last = found.at(-1);
    if (last !== undefined && (columns[index - 1] ?? 0) > 0) last.width = rounded(x + step - last.x);
    else found.push({ x, width: rounded(step) });
  }
  return found;
}

function pointsOf(
  values: readonly number[],
  { left, top, width, height, max, maxPoints }: Plot,
): readonly Point[] {
  const columns = highest(values, Math.min(maxPoints, values.length));
  const step = width / Math.max(1, columns.length);
  return columns.map((value, index) => ({
    x: rounded(left + index * step),
    y: rounded(top + height - (height * Math.min(value, max)) / max),
  }));
}

function rounded(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
