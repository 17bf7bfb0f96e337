// Runs as one picture: load over capacity, and pods, for each column; readable in grey.
import { formatInstant } from "@plimsoll/core";
import { xmlText } from "@plimsoll/core/internal/values";
import type { Series } from "../score/series.ts";
import { areaPath, linePath, type Plot, spans, stepPath } from "./svg-paths.ts";

/** One panel of the picture. */
export interface SvgColumn {
  readonly name: string;
  readonly series: Series;
}

const width = 960;
const left = 64;
const right = 16;
const panelHeight = 258;
const legend = "load and capacity (gray), dark where hot; pods: ready, desired (dashed)";
const styleOfSchedules = ".schedule{fill:#666}";
const legendOfSchedules = `${legend}, bars below: a schedule changes the limits`;
const loadHeight = 110;
const podsHeight = 70;
const top = 44;
/** More points than pixels show nothing more. */
const maxPoints = 800;

const style = [
  "text{font:12px sans-serif;fill:#222}",
  ".t{font-size:14px;font-weight:bold}",
  ".m{fill:#666}",
  ".load{fill:none;stroke:#111;stroke-width:1.2}",
  ".capacity{fill:#ddd;stroke:none}",
  ".ready{fill:none;stroke:#111;stroke-width:1.2}",
  ".desired{fill:none;stroke:#777;stroke-width:1;stroke-dasharray:4 3}",
  ".hot{fill:#999;opacity:.55}",
  ".axis{stroke:#bbb;stroke-width:1}",
].join("");

/** The picture as text. Hot spans are dark bars below the load. */
export function renderSvg(title: string, columns: readonly SvgColumn[]): string {
  const height = top + columns.length * panelHeight;
  const peak = Math.max(1e-9, ...columns.flatMap(({ series }) => [...series.load]));
  const pods = Math.max(1, ...columns.flatMap(({ series }) => [...series.ready, ...series.desired]));
  const hasSchedules = columns.some(({ series }) => series.scheduled !== undefined);
  const panels = columns.map((column, index) => panel(column, top + index * panelHeight, { peak, pods }));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${xmlText(title)}</title>`,
    `<style>${style}${hasSchedules ? styleOfSchedules : ""}</style>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text class="t" x="${left}" y="24">${xmlText(title)}</text>`,
    `<text class="m" x="${width - right}" y="24" text-anchor="end">${hasSchedules ? legendOfSchedules : legend}</text>`,
    ...panels,
    "</svg>",
    "",
  ].join("\n");
}

function panel(
  { name, series }: SvgColumn,
  y: number,
  { peak, pods }: { readonly peak: number; readonly pods: number },
): string {
  const area = { left, width: width - left - right, maxPoints };
  const load: Plot = { ...area, top: y + 24, height: loadHeight, max: peak * 1.1 };
  const replicas: Plot = { ...area, top: y + 24 + loadHeight + 22, height: podsHeight, max: pods * 1.1 };
  const base = load.top + load.height;
  const hot = spans(series.hot, load).map(
    ({ x, width: long }) => `<rect class="hot" x="${x}" y="${base + 2}" width="${long}" height="6"/>`,
  );
  const end = series.startMs + series.bucketMs * series.load.length;
  const bottom = replicas.top + replicas.height;
  const schedules = spans(series.scheduled ?? [], replicas).map(
    ({ x, width: long }) => `<rect class="schedule" x="${x}" y="${bottom + 1}" width="${long}" height="3"/>`,
  );
  return [
    `<g><text x="${left}" y="${y + 16}">${xmlText(name)}</text>`,
    `<path class="capacity" d="${areaPath(series.capacity, load)}"/>`,
    `<path class="load" d="${linePath(series.load, load)}"/>`,
    ...hot,
    axis(load, amount(peak), "req/s"),
    `<path class="desired" d="${stepPath(series.desired, replicas)}"/>`,
    `<path class="ready" d="${stepPath(series.ready, replicas)}"/>`,
    ...schedules,
    axis(replicas, amount(pods), "pods"),
    `<text class="m" x="${left}" y="${bottom + 16}">${formatInstant(series.startMs)}</text>`,
    `<text class="m" x="${width - right}" y="${bottom + 16}" text-anchor="end">${formatInstant(end)}</text></g>`,
  ].join("\n");
}

function axis({ left: x, top: y, height, width: long, max }: Plot, highest: string, unit: string): string {
  const base = y + height;
  const peak = y + height - height / (max > 0 ? 1.1 : 1);
  return [
    `<line class="axis" x1="${x}" x2="${x + long}" y1="${base}" y2="${base}"/>`,
    `<text class="m" x="${x - 6}" y="${Math.round(peak) + 4}" text-anchor="end">${highest}</text>`,
    `<text class="m" x="${x - 6}" y="${base}" text-anchor="end">${unit}</text>`,
  ].join("\n");
}

function amount(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Math.round(value * 10) / 10);
}
