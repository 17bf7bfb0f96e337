// Reads the series that selectors want out of what a pod exposes, as Prometheus would store them.
//
// No library fits: parse-prometheus-text-format and its kin read whole texts into objects, every line of them, without
// bounds, and know neither OpenMetrics nor names in quotes. Here most of the bytes are only searched for line breaks.
import { isUtf8 } from "node:buffer";
import type { Selector, Work } from "../evaluate/plan.ts";
import { type LabelSet, labelSet, nameLabel } from "../labels.ts";
import { endOfSeries, type Format, type MetricType, readSeries, readValue, type SeriesText } from "./line.ts";
import { createLineCutter } from "./lines.ts";
import { wantedLines } from "./wanted.ts";

/** What one exposition may have. Defaults in brackets. */
export interface ExpositionLimits {
  /** Of one line [65536]. */
  readonly lineBytes: number;
  /** Of one wanted series, without those of the target [64]. */
  readonly labels: number;
  /** Of the metrics that selectors name, wanted or not [10000]. */
  readonly series: number;
}

const defaults: ExpositionLimits = { lineBytes: 65_536, labels: 64, series: 10_000 };

export interface ExpositionOptions {
  /** Those of every query that asks about the target. */
  readonly selectors: readonly Selector[];
  /** Labels that every series gets. An exposed label of the same name becomes `exported_…`, as with Prometheus. */
  readonly targetLabels: readonly TargetLabel[];
  /** Labels for the series that do not expose them, as with honor_labels. */
  readonly defaultLabels?: readonly TargetLabel[];
  readonly limits?: Partial<ExpositionLimits>;
  /** The series of the first scrape cost nothing. */
  readonly isFirstFree?: boolean;
}

export type TargetLabel = readonly [name: string, value: string];

export interface ScrapedSample {
  /** The same object in every scrape of a reader that has the series. */
  readonly labels: LabelSet;
  readonly value: number;
  /** The time that the target wrote, in milliseconds since 1970; undefined: it is that of the scrape. */
  readonly atMs: number | undefined;
}

/** The wanted samples; or why the scrape counts as failed, without anything that is secret. */
export type Scraped =
  | { readonly ok: true; readonly samples: readonly ScrapedSample[] }
  | { readonly ok: false; readonly message: string };

/** One exposition, in chunks. */
export interface Exposition {
  /** False: nothing more is read, so that the response can be dropped. */
  push(chunk: Uint8Array): boolean;
  /** Never throws. */
  end(): Scraped;
  /** What it took to read so far, in ordinary pages of half a millisecond. */
  readonly cost: number;
  /** What may still be spent on matching its series. */
  readonly work: Work;
}

/** Of a page: a third of a second for the worst regular expressions, and 20 ms for usual ones. */
const maxWork = 10_000_000;
/** Of it, what a page whose series are free may take at no charge. */
const freeWork = 200_000;
export const tooMuchWork = "its new series take too long to match: use simpler regular expressions";

/** For one target; it remembers the series of the last scrape. */
export interface ExpositionReader {
  start(format: Format): Exposition;
}

/** What is known of a series by the bytes of its line. */
interface KnownSeries {
  /** The type of the metric, and the series as it is written. */
  readonly key: string;
  /** Undefined when no selector matches. */
  readonly labels: LabelSet | undefined;
}

/**
 * A line of a wanted metric that Prometheus would not read makes the scrape fail, as with Prometheus. Lines of other
 * metrics are not looked at, so a mistake in them goes unnoticed.
 */
export function createExpositionReader(options: ExpositionOptions): ExpositionReader {
  const limits = { ...defaults, ...options.limits };
  const isWanted = wantedLines(options.selectors);
  let before: ReadonlyMap<string, KnownSeries> = new Map();
  let isNextFree = options.isFirstFree === true;
  return {
    start(format) {
      const isFree = isNextFree;
      isNextFree = false;
      const known = new Map<string, KnownSeries>();
      const scrape: Scrape = {
        format,
        type: "other",
        samples: [],
        seriesRead: 0,
        partsRead: 0,
        work: { left: maxWork },
        problem: undefined,
        isEnded: false,
      };
      const seriesOf = (text: string): KnownSeries | undefined => {
        const key = `${scrape.type} ${text}`;
        const found = known.get(key) ?? before.get(key) ?? read(key, scrape, { ...options, limits });
        if (found !== undefined) known.set(found.key, found);
        return found;
      };
      const lines = createLineCutter(limits.lineBytes, (bytes, from, to) => {
        scrape.problem ??= lineProblem(scrape, bytes, from, to);
        if (scrape.problem === undefined && isWanted(bytes, from, to))
          scrape.problem = addSample(scrape, decoded(bytes, from, to), seriesOf, limits);
        return scrape.problem === undefined;
      });
      let [bytes, chunks] = [0, 0];
      return {
        get cost() {
          const worked = maxWork - Math.max(0, scrape.work.left);
          const matched = Math.max(0, isFree ? worked - freeWork : worked) / 14_000;
          return bytes / 25_000 + chunks / 500 + (isFree ? 0 : scrape.partsRead / 200) + matched;
        },
        work: scrape.work,
        push(chunk) {
          bytes += chunk.length;
          chunks += 1;
          if (scrape.problem === undefined && !lines.push(chunk))
            scrape.problem ??= `a line is longer than ${limits.lineBytes} bytes`;
          return scrape.problem === undefined;
        },
        end() {
          if (scrape.problem === undefined) lines.end();
          before = isWorthKeeping(known, scrape.samples) ? known : new Map();
          const isCut = format === "openmetrics" && !scrape.isEnded;
          const message = scrape.problem ?? (isCut ? "the response does not end with # EOF" : undefined);
          return message === undefined ? { ok: true, samples: scrape.samples } : { ok: false, message };
        },
      };
    },
  };
}

/** Texts of series that no query wants, or that are written in more than one way. */
const spareTextOfPod = 8_192;

/** A pod can write long texts for series that are short, and those are what its namespace has a limit for. */
function isWorthKeeping(known: ReadonlyMap<string, KnownSeries>, samples: readonly ScrapedSample[]): boolean {
  const texts = [...known.keys()].reduce((sum, text) => sum + text.length, 0);
  const keys = new Set(samples.map(({ labels }) => labels.key));
  return texts <= [...keys].reduce((sum, key) => sum + 2 * key.length, spareTextOfPod);
}

interface Scrape {
  readonly format: Format;
  /** Of the last `# TYPE`. */
  type: MetricType;
  readonly samples: ScrapedSample[];
  seriesRead: number;
  /** Labels of series that were not in the last scrape; a series counts as ten. */
  partsRead: number;
  readonly work: Work;
  problem: string | undefined;
  /** After `# EOF`. */
  isEnded: boolean;
}

const HASH = 35;
/** Enough of a comment to know what it is: help is long. */
const COMMENT_START = 16;

/** Follows the lines that are no series. */
function lineProblem(scrape: Scrape, bytes: Buffer, from: number, to: number): string | undefined {
  if (scrape.isEnded) return "there is data after # EOF";
  if (bytes[from] !== HASH) return undefined;
  const start = bytes.toString("latin1", from, Math.min(to, from + COMMENT_START));
  if (scrape.format === "openmetrics" && start === "# EOF") scrape.isEnded = true;
  if (/^#[ \t]+TYPE[ \t]/.test(start)) scrape.type = typeOf(bytes.toString("latin1", from, to));
  return undefined;
}

function typeOf(comment: string): MetricType {
  const type = /[ \t](histogram|summary)$/.exec(comment)?.[1];
  return type === "histogram" || type === "summary" ? type : "other";
}

/** Undefined when it is not UTF-8. */
function decoded(bytes: Buffer, from: number, to: number): string | undefined {
  return isUtf8(bytes.subarray(from, to)) ? bytes.toString("utf8", from, to) : undefined;
}

function addSample(
  scrape: Scrape,
  line: string | undefined,
  seriesOf: (text: string) => KnownSeries | undefined,
  { series, labels }: ExpositionLimits,
): string | undefined {
  if (line === undefined) return "a line is not UTF-8";
  const end = endOfSeries(line);
  const known = end < 0 ? undefined : seriesOf(line.slice(0, end));
  if (scrape.work.left < 0) return tooMuchWork;
  if (known === undefined)
    return `cannot read a line of ${shown(line)}, or it has more than ${labels} labels`;
  const read = readValue(line, end, scrape.format);
  if (read === undefined) return `cannot read a value of ${shown(line)}`;
  scrape.seriesRead += 1;
  if (scrape.seriesRead > series) return `the metrics that queries ask for have more than ${series} series`;
  if (known.labels !== undefined) scrape.samples.push({ labels: known.labels, ...read });
  return undefined;
}

/** The name of the metric alone: the page may be of something else, and have secrets in it. */
function shown(line: string): string {
  return /^[a-zA-Z_:][a-zA-Z0-9_:]{0,79}/.exec(line)?.[0] ?? "a metric whose name is in braces";
}

/** What is kept is copied: a part of a text keeps the whole of it in memory, which is the line here. */
function read(
  part: string,
  scrape: Scrape,
  {
    selectors,
    targetLabels,
    defaultLabels = [],
    limits,
  }: Omit<ExpositionOptions, "limits"> & { readonly limits: ExpositionLimits },
): KnownSeries | undefined {
  const { format, type, work } = scrape;
  const key = Buffer.from(part).toString();
  const found = readSeries(key.slice(type.length + 1), format, type);
  scrape.partsRead += 10 + (found?.labels.length ?? 0) + selectors.length / 20;
  if (found === undefined || found.labels.length > limits.labels) return undefined;
  const labels = withTarget(found, targetLabels, defaultLabels);
  const isWanted = selectors.some((selector) => selector.matches(labels, work));
  return work.left < 0 ? undefined : { key, labels: isWanted ? labels : undefined };
}

/** @upstream prometheus/prometheus scrape/scrape.go#mutateSampleLabels */
function withTarget(
  { name, labels }: SeriesText,
  target: readonly TargetLabel[],
  defaults: readonly TargetLabel[],
): LabelSet {
  const exposed = labels.filter(([, value]) => value !== "");
  const all = new Map<string, string>([[nameLabel, name], ...defaults, ...exposed]);
  const conflicts: [string, string][] = [];
  for (const [label, value] of target) {
    const exposed = all.get(label) ?? "";
    if (exposed !== "") conflicts.push([label, exposed]);
    all.set(label, value);
  }
  for (const [label, value] of conflicts.sort(([a], [b]) => a.length - b.length)) {
    let renamed = `exported_${label}`;
    while ((all.get(renamed) ?? "") !== "") renamed = `exported_${renamed}`;
    all.set(renamed, value);
  }
  return labelSet(all);
}
