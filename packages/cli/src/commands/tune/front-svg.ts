// The specifications of a search as a picture: what each costs against what each is short; readable in grey.
import { xmlText } from "@plimsoll/core/internal/values";
import { amount } from "../../output/amount.ts";
import type { TuneDocument, TuneResult } from "./document.ts";
import { splitText, todayText } from "./words.ts";

interface Spot {
  readonly podHours: number;
  /** Pod-minutes. */
  readonly short: number;
}

interface Axes {
  readonly x: (podHours: number) => number;
  readonly y: (short: number) => number;
  readonly xTicks: readonly number[];
  readonly yTicks: readonly number[];
}

const [width, height] = [960, 560];
const [left, right, top, bottom] = [72, 24, 96, 492];

const style = [
  "text{font:12px sans-serif;fill:#222}",
  ".t{font-size:14px;font-weight:bold}",
  ".m{fill:#666}",
  ".axis{stroke:#bbb;stroke-width:1}",
  ".grid{stroke:#eee;stroke-width:1}",
  ".tried{fill:none;stroke:#999;stroke-width:1}",
  ".front{fill:#555;stroke:none}",
  ".line{fill:none;stroke:#555;stroke-width:1}",
  ".today{fill:#fff;stroke:#111;stroke-width:2}",
  ".allowed{stroke:#777;stroke-width:1;stroke-dasharray:6 4}",
  ".best{fill:#111;stroke:none}",
  ".rank{fill:#fff;font-weight:bold}",
].join("");

/** Empty of points where nothing was searched. */
export function renderFront({ object, report, refusal }: TuneDocument): string {
  const title = `${object}: pod-hours against missing pods, a mean of the training days`;
  const below =
    report === undefined
      ? (refusal?.message ?? "nothing was searched")
      : `${splitText(report)}; ${todayText(report)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${xmlText(title)}</title>`,
    `<style>${style}</style>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text class="t" x="${left}" y="24">${xmlText(title)}</text>`,
    `<text class="m" x="${left}" y="44">${xmlText(below)}</text>`,
    ...(report === undefined || report.front.length === 0 ? [] : plot(report)),
    "</svg>",
    "",
  ].join("\n");
}

function plot(result: TuneResult): readonly string[] {
  const { front, today, recommendations, objective } = result;
  const spots = front.map(({ training }) => spotOf(training));
  const own = spotOf(today.training);
  const allowed = Math.max(objective.shortPodSecondsPerDay / 60, own.short);
  const axes = axesOf([...spots, { podHours: own.podHours, short: allowed }]);
  const at = ({ podHours, short }: Spot): readonly [string, string] => [
    px(axes.x(podHours)),
    px(axes.y(short)),
  ];
  const circles = front.map(({ isOnFront }, index) => {
    const [x, y] = at(spots[index] ?? own);
    return `<circle class="${isOnFront ? "front" : "tried"}" cx="${x}" cy="${y}" r="${isOnFront ? 4 : 3}"/>`;
  });
  const onFront = spots
    .filter((_, index) => front[index]?.isOnFront === true)
    .toSorted((a, b) => a.podHours - b.podHours || b.short - a.short);
  const best = recommendations.map(({ training, candidate }, index) =>
    numbered(at(spotOf(training)), String(index + 1), candidate.what),
  );
  const limit = px(axes.y(allowed));
  return [
    ...frame(axes),
    legend(),
    `<line class="allowed" x1="${left}" x2="${width - right}" y1="${limit}" y2="${limit}"/>`,
    `<polyline class="line" points="${onFront.map((spot) => at(spot).join(",")).join(" ")}"/>`,
    ...circles,
    marked(at(own)),
    ...best,
  ];
}

/** Today's. */
function marked([x, y]: readonly [string, string]): string {
  const [atX, atY] = [Number(x), Number(y)];
  return [
    `<rect class="today" x="${px(atX - 6)}" y="${px(atY - 6)}" width="12" height="12"/>`,
    `<text x="${px(Math.min(atX, width - right - 20))}" y="${px(atY - 12)}" text-anchor="middle">today</text>`,
  ].join("");
}

function spotOf({
  podHours,
  shortPodSeconds,
}: {
  readonly podHours: number;
  readonly shortPodSeconds: number;
}): Spot {
  return { podHours, short: shortPodSeconds / 60 };
}

function numbered([x, y]: readonly [string, string], rank: string, what: string): string {
  return [
    `<circle class="best" cx="${x}" cy="${y}" r="9"><title>${xmlText(what)}</title></circle>`,
    `<text class="rank" x="${x}" y="${px(Number(y) + 4)}" text-anchor="middle">${rank}</text>`,
  ].join("");
}

function legend(): string {
  const text =
    "numbers: recommended; square: today; dots: no other costs less and is less short and hot; rings: the others; dashed: what is allowed";
  return `<text class="m" x="${left}" y="64">${text}</text>`;
}

function frame({ x, y, xTicks, yTicks }: Axes): readonly string[] {
  return [
    ...yTicks.flatMap((tick) => [
      `<line class="grid" x1="${left}" x2="${width - right}" y1="${px(y(tick))}" y2="${px(y(tick))}"/>`,
      `<text class="m" x="${left - 8}" y="${px(y(tick) + 4)}" text-anchor="end">${amount(tick)}</text>`,
    ]),
    ...xTicks.map(
      (tick) =>
        `<text class="m" x="${px(x(tick))}" y="${bottom + 18}" text-anchor="middle">${amount(tick)}</text>`,
    ),
    `<line class="axis" x1="${left}" x2="${width - right}" y1="${bottom}" y2="${bottom}"/>`,
    `<line class="axis" x1="${left}" x2="${left}" y1="${top}" y2="${bottom}"/>`,
    `<text class="m" x="${width - right}" y="${bottom + 40}" text-anchor="end">pod-hours a day</text>`,
    `<text class="m" x="${left}" y="${top - 6}">missing pod-minutes a day (the scale is a square root)</text>`,
  ];
}

/** Few specifications miss nearly all of it: a square root keeps the others apart. */
function axesOf(spots: readonly Spot[]): Axes {
  const hours = spots.map(({ podHours }) => podHours);
  const [min, max] = [Math.min(...hours), Math.max(...hours)];
  const room = Math.max((max - min) * 0.05, max * 0.01, 0.1);
  const [low, high] = [min - room, max + room];
  const most = Math.max(0.1, ...spots.map(({ short }) => short));
  const scale = (bottom - top) / Math.sqrt(most * 1.05);
  return {
    x: (podHours) => left + ((podHours - low) / (high - low)) * (width - left - right),
    y: (short) => bottom - Math.sqrt(Math.max(0, short)) * scale,
    xTicks: ticks(low, high, 8),
    yTicks: [0, ...[0.02, 0.1, 0.25, 0.5, 0.75, 1].map((part) => rounded(most * part))],
  };
}

/** Round numbers in a range, about so many. */
function ticks(low: number, high: number, count: number): readonly number[] {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, n) => (first + n) * step);
}

/** To two digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(2));
}

function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}
