// Draws a chart on a canvas, in the colors of the style sheet.
import { timeText, timeTicks, valueText, valueTicks } from "./axis.ts";
import type { ChartData, Line } from "./series.ts";

/** A drawn chart. */
export interface Plot {
  setData(data: ChartData): void;
  /** Undefined: no cursor. */
  setCursor(index: number | undefined): void;
  /** After its place got another size. */
  resize(): void;
  destroy(): void;
}

export interface PlotOptions {
  readonly place: HTMLElement;
  readonly data: ChartData;
  readonly height: number;
  /** The value that the pointer is over; undefined after it left. */
  readonly onCursor: (index: number | undefined) => void;
}

/** What is around the values, in CSS pixels: the texts of the axes, and room for the last instant. */
const around = { top: 8, right: 26, bottom: 26, left: 44 };
const minWidth = 200;
const timeTextPx = 70;
const valueTextPx = 34;

const styles: Readonly<
  Record<Line["kind"], { readonly color: string; readonly width: number; readonly dash: readonly number[] }>
> = {
  now: { color: "--accent", width: 2, dash: [] },
  value: { color: "--accent", width: 2, dash: [] },
  proposed: { color: "--moving", width: 1.25, dash: [5, 4] },
  bound: { color: "--faint", width: 1.25, dash: [] },
  target: { color: "--muted", width: 1.25, dash: [2, 3] },
};

/** A chart at one size: from values to pixels, and what to draw with. */
interface Drawing {
  readonly context: CanvasRenderingContext2D;
  readonly data: ChartData;
  readonly width: number;
  readonly height: number;
  readonly top: number;
  readonly x: (seconds: number) => number;
  readonly y: (value: number) => number;
  readonly color: (name: string) => string;
}

export function createPlot({ place, data: firstData, height, onCursor }: PlotOptions): Plot {
  const canvas = document.createElement("canvas");
  canvas.style.height = `${height}px`;
  place.append(canvas);
  let data = firstData;
  let cursor: number | undefined;
  const draw = (): void => {
    const drawing = drawingOf(canvas, { place, data, height });
    if (drawing === undefined) return;
    drawAxes(drawing);
    drawBand(drawing);
    // The first one is what a reader looks for: it lies over the others.
    for (const line of data.lines.toReversed()) drawLine(drawing, line);
    if (cursor !== undefined) drawCursor(drawing, cursor);
  };
  const setCursor = (index: number | undefined): void => {
    if (index === cursor) return;
    cursor = index;
    draw();
  };
  const point = (index: number | undefined): void => {
    if (index !== cursor) onCursor(index);
    setCursor(index);
  };
  canvas.addEventListener("pointermove", (event) => point(nearest(data, place, event.offsetX)));
  canvas.addEventListener("pointerleave", () => point(undefined));
  draw();
  return {
    setData(next) {
      data = next;
      draw();
    },
    setCursor,
    resize: draw,
    destroy: () => canvas.remove(),
  };
}

interface Scale {
  readonly x: (seconds: number) => number;
  readonly seconds: (x: number) => number;
}

function widthOf(place: HTMLElement): number {
  return Math.max(minWidth, place.clientWidth);
}

function scaleOf({ times }: ChartData, place: HTMLElement): Scale {
  const [first = 0, last = first] = [times[0], times.at(-1)];
  const span = last - first || 1;
  const inner = widthOf(place) - around.left - around.right;
  return {
    x: (seconds) => around.left + ((seconds - first) / span) * inner,
    seconds: (x) => first + ((x - around.left) / inner) * span,
  };
}

/** The position of the instant that is nearest to a pixel. */
function nearest(data: ChartData, place: HTMLElement, x: number): number | undefined {
  const wanted = scaleOf(data, place).seconds(x);
  let best: number | undefined;
  let bestAway = Number.POSITIVE_INFINITY;
  for (const [index, seconds] of data.times.entries()) {
    const away = Math.abs(seconds - wanted);
    if (away < bestAway) [best, bestAway] = [index, away];
  }
  return best;
}

/** Undefined where a browser gives no context. */
function drawingOf(
  canvas: HTMLCanvasElement,
  { place, data, height }: Pick<PlotOptions, "place" | "data" | "height">,
): Drawing | undefined {
  const width = widthOf(place);
  const density = devicePixelRatio;
  canvas.width = Math.round(width * density);
  canvas.height = Math.round(height * density);
  const context = canvas.getContext("2d");
  if (context === null) return undefined;
  context.scale(density, density);
  context.font = "11px system-ui, sans-serif";
  const style = getComputedStyle(place);
  const top = topOf(data);
  const inner = height - around.top - around.bottom;
  return {
    context,
    data,
    width,
    height,
    top,
    x: scaleOf(data, place).x,
    y: (value) => around.top + (1 - value / top) * inner,
    color: (name) => style.getPropertyValue(name).trim(),
  };
}

/** From zero, with room above: replicas and rates are compared with nothing. */
function topOf({ lines, band }: ChartData): number {
  let high = band?.high ?? 0;
  for (const { values } of lines)
    for (const value of values) if (value !== null && value > high) high = value;
  return high <= 0 ? 1 : high * 1.08;
}

function drawAxes({ context, data, width, height, top, x, y, color }: Drawing): void {
  const { times, unit } = data;
  context.fillStyle = color("--muted");
  context.strokeStyle = color("--line");
  context.lineWidth = 1;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const value of valueTicks(top, Math.max(1, Math.floor((height - around.bottom) / valueTextPx)))) {
    // In the middle of a pixel a line is sharp.
    const at = Math.round(y(value)) + 0.5;
    context.beginPath();
    context.moveTo(around.left, at);
    context.lineTo(width - around.right, at);
    context.stroke();
    context.fillText(valueText(value, unit), around.left - 6, at, around.left - 6);
  }
  context.textAlign = "center";
  const [first = 0, last = first] = [times[0], times.at(-1)];
  const ticks = timeTicks(first, last, Math.max(1, Math.floor((width - around.left) / timeTextPx)));
  const hasSeconds = ticks.some((seconds) => seconds % 60 !== 0);
  for (const seconds of ticks) context.fillText(timeText(seconds, hasSeconds), x(seconds), height - 12);
}

function drawBand({ context, data: { band }, width, y, color }: Drawing): void {
  if (band === undefined) return;
  context.fillStyle = color("--band");
  context.fillRect(around.left, y(band.high), width - around.left - around.right, y(band.low) - y(band.high));
}

function drawLine({ context, data, x, y, color }: Drawing, { kind, values, isStepped }: Line): void {
  const style = styles[kind];
  context.strokeStyle = color(style.color);
  context.lineWidth = style.width;
  context.setLineDash([...style.dash]);
  context.lineJoin = "round";
  context.beginPath();
  let before: number | undefined;
  for (const [index, seconds] of data.times.entries()) {
    const value = values[index] ?? null;
    if (value === null) {
      before = undefined;
      continue;
    }
    const [atX, atY] = [x(seconds), y(value)];
    if (before === undefined) {
      context.moveTo(atX, atY);
      // A value between two that are missing is seen too.
      if ((values[index + 1] ?? null) === null) context.lineTo(atX + 1, atY);
    } else {
      if (isStepped) context.lineTo(atX, before);
      context.lineTo(atX, atY);
    }
    before = atY;
  }
  context.stroke();
  context.setLineDash([]);
}

function drawCursor({ context, data, height, x, y, color }: Drawing, index: number): void {
  const seconds = data.times[index];
  if (seconds === undefined) return;
  const at = Math.round(x(seconds)) + 0.5;
  context.strokeStyle = color("--muted");
  context.lineWidth = 1;
  context.setLineDash([4, 3]);
  context.beginPath();
  context.moveTo(at, around.top);
  context.lineTo(at, height - around.bottom);
  context.stroke();
  context.setLineDash([]);
  for (const { kind, values } of data.lines) {
    const value = values[index] ?? null;
    if (value === null) continue;
    context.fillStyle = color(styles[kind].color);
    context.beginPath();
    context.arc(at, y(value), 3.5, 0, 2 * Math.PI);
    context.fill();
  }
}
