// Draws a chart with uPlot on a canvas, in the colors of the style sheet.
import uPlot from "uplot";
import type { ChartData, Line } from "./series.ts";

const suffixes = ["", "k", "M", "G", "T", "P", "E"];

/** Short enough for the edge of a chart: 1200000 is 1.2M. */
export function valueText(value: number, unit: string): string {
  const thousands = Math.floor(Math.log10(Math.abs(value)) / 3);
  const power = Math.abs(value) < 10_000 ? 0 : Math.min(thousands, suffixes.length - 1);
  return `${Number((value / 1000 ** power).toPrecision(4))}${suffixes[power]}${unit}`;
}

/** A drawn chart. */
export type Plot = ReturnType<typeof createPlot>;

export interface PlotOptions {
  readonly place: HTMLElement;
  readonly data: ChartData;
  readonly height: number;
  /** The value that the pointer is over; undefined after it left. */
  readonly onCursor: (index: number | undefined) => void;
}

/** Values of custom properties of the style sheet. */
function colorsOf(place: HTMLElement): (name: string) => string {
  const style = getComputedStyle(place);
  return (name) => style.getPropertyValue(name).trim();
}

const colorNames: Readonly<Record<Line["kind"], string>> = {
  now: "--accent",
  proposed: "--moving",
  bound: "--faint",
  value: "--accent",
  target: "--muted",
};

export function createPlot({ place, data, height, onCursor }: PlotOptions) {
  const color = colorsOf(place);
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const series = data.lines.map(
    ({ kind, name, isStepped }): uPlot.Series => ({
      label: name,
      stroke: color(colorNames[kind]),
      width: kind === "now" || kind === "value" ? 2 : 1.25,
      dash: kind === "proposed" ? [5, 4] : kind === "target" ? [2, 3] : [],
      points: { show: false },
      ...(isStepped && stepped !== undefined ? { paths: stepped } : {}),
    }),
  );
  const plot = new uPlot(
    {
      width: Math.max(200, place.clientWidth),
      height,
      legend: { show: false },
      padding: [8, 26, 0, 0],
      series: [{}, ...series],
      scales: { x: { time: true }, y: { range: rangeOf(data) } },
      axes: axesOf(color, data),
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { size: 7 } },
      hooks: {
        drawAxes: [(self) => drawBand(self, data, color("--band"))],
        setCursor: [
          (self) => {
            const { event, idx } = self.cursor;
            if (event !== undefined && event !== null) onCursor(idx ?? undefined);
          },
        ],
      },
    },
    aligned(data),
    place,
  );
  return {
    setData: (next: ChartData) => plot.setData(aligned(next)),
    /** Undefined: no cursor. */
    setCursor(index: number | undefined): void {
      const at = index === undefined ? undefined : plot.data[0][index];
      plot.setCursor({ left: at === undefined ? -10 : plot.valToPos(at, "x"), top: 0 }, false);
    },
    resize: (width: number) => plot.setSize({ width: Math.max(200, width), height }),
    destroy: () => plot.destroy(),
  };
}

function aligned({ times, lines }: ChartData): uPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])];
}

/** From zero, with room above: replicas and rates are compared with nothing. */
function rangeOf({ band }: ChartData) {
  return (_: uPlot, _low: number | null, high: number | null): [number, number] => {
    const top = Math.max(high ?? 1, band?.high ?? 0);
    return [0, top <= 0 ? 1 : top * 1.08];
  };
}

/** Of replicas there are no halves. */
const wholeSteps = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 50_000, 100_000, 1_000_000,
];

function axesOf(color: (name: string) => string, { unit, lines }: ChartData): uPlot.Axis[] {
  const isWhole = lines.some(({ kind }) => kind === "now");
  const shared = {
    stroke: color("--muted"),
    font: "11px system-ui, sans-serif",
    grid: { stroke: color("--line"), width: 1 },
    ticks: { show: false },
  };
  return [
    { ...shared, grid: { show: false }, space: 70, size: 26, gap: 8, values: timeTexts },
    {
      ...shared,
      size: 44,
      space: 34,
      ...(isWhole ? { incrs: wholeSteps } : {}),
      values: (_, splits) => splits.map((value) => valueText(value, unit)),
    },
  ];
}

/** In UTC as everywhere on the page; the date only where the day begins. */
function timeTexts(_: uPlot, splits: readonly number[]): string[] {
  const [first, second] = splits;
  const hasSeconds = first !== undefined && second !== undefined && second - first < 60;
  return splits.map((seconds) => {
    const text = new Date(seconds * 1000).toISOString();
    const time = text.slice(11, hasSeconds ? 19 : 16);
    return time === "00:00" ? text.slice(5, 10) : time;
  });
}

function drawBand(self: uPlot, { band }: ChartData, fill: string): void {
  if (band === undefined) return;
  const { ctx, bbox } = self;
  const [top, bottom] = [self.valToPos(band.high, "y", true), self.valToPos(band.low, "y", true)];
  ctx.save();
  ctx.fillStyle = fill;
  ctx.fillRect(bbox.left, top, bbox.width, bottom - top);
  ctx.restore();
}
