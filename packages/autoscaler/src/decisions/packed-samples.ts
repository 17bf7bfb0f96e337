// Packs the samples of pods for as long as a decision is kept: one string in place of some six objects a pod.
import type { MetricSamples, PodSamples, PodsSample, ResourceSample } from "@plimsoll/core";
import { shareParts } from "./share-parts.ts";

/** Samples of pods as columns: what they have in common once, and the rest as text. */
interface Columns {
  /** Container and resource of each value of a sample, in turns; undefined for a metric with one value. */
  readonly layout: readonly string[] | undefined;
  readonly hasTimestamp: boolean;
  /** One for all, or one for each sample. */
  readonly windowSeconds: number | undefined | readonly (number | undefined)[];
  /** The name of each sample, by line. */
  readonly names: string;
  /** Timestamp and values of each sample, by line; an empty timestamp is that of the sample before. */
  readonly cells: string;
  readonly query: string | undefined;
}

/** Samples of one metric as a decision keeps them: as they are where their form is not the usual one. */
export type PackedSamples = Columns | MetricSamples;

const separator = "\n";

/** Shares with those of the decision before what they have in common: mostly the names, and of a source that is slower all. */
export function packSamples(samples: MetricSamples, former?: PackedSamples): PackedSamples {
  const columns = "pods" in samples ? columnsOf(samples) : undefined;
  return columns === undefined ? samples : shareParts(former, columns);
}

/** The same samples, but for fields that no decision reads. */
export function unpackSamples(packed: PackedSamples): MetricSamples {
  if (!("cells" in packed)) return packed;
  const { query } = packed;
  return { pods: samplesOf(packed), ...(query === undefined ? {} : { query }) };
}

function columnsOf({ pods: samples, query }: PodSamples): Columns | undefined {
  const [first] = samples;
  if (first === undefined) return undefined;
  const layout = "containers" in first ? layoutOf(first.containers) : undefined;
  const hasTimestamp = first.timestamp !== undefined;
  const names: string[] = [];
  const cells: string[] = [];
  let timestamp: unknown = "";
  for (const sample of samples) {
    const { name } = sample;
    if (!isCell(name) || (sample.timestamp !== undefined) !== hasTimestamp) return undefined;
    names.push(name);
    if (hasTimestamp) {
      const isSame = sample.timestamp === timestamp;
      timestamp = sample.timestamp;
      if (!isCell(timestamp)) return undefined;
      cells.push(isSame ? "" : timestamp);
    }
    if (!addValues(cells, sample, layout)) return undefined;
  }
  const windowSeconds = windowsOf(samples, first.windowSeconds);
  return {
    layout,
    hasTimestamp,
    windowSeconds,
    names: names.join(separator),
    cells: cells.join(separator),
    query,
  };
}

function windowsOf(samples: PodSamples["pods"], first: number | undefined): Columns["windowSeconds"] {
  const isOne = samples.every(({ windowSeconds }) => Object.is(windowSeconds, first));
  return isOne ? first : samples.map(({ windowSeconds }) => windowSeconds);
}

/** Neither empty nor with a separator in it, so that it is read back as it was. */
function isCell(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !value.includes(separator);
}

function layoutOf(containers: ResourceSample["containers"]): readonly string[] {
  const layout: string[] = [];
  for (const container in containers)
    for (const resource in containers[container]) layout.push(container, resource);
  return layout;
}

/** False when the sample has another layout, or a value that is not a string. */
function addValues(
  cells: string[],
  sample: PodSamples["pods"][number],
  layout: readonly string[] | undefined,
): boolean {
  const { containers, value } = sample as Partial<ResourceSample & PodsSample>;
  if (layout === undefined) {
    if (containers !== undefined || !isCell(value)) return false;
    cells.push(value);
    return true;
  }
  if (value !== undefined) return false;
  let at = 0;
  for (const container in containers) {
    const before = at;
    const usage = containers[container];
    for (const resource in usage) {
      const amount = usage[resource];
      if (layout[at] !== container || layout[at + 1] !== resource || !isCell(amount)) return false;
      cells.push(amount);
      at += 2;
    }
    // A container without any usage has no place in the layout.
    if (at === before) return false;
  }
  return at === layout.length;
}

function samplesOf({ layout, hasTimestamp, windowSeconds, names, cells }: Columns): PodSamples["pods"] {
  const all = cells.split(separator);
  const width = (hasTimestamp ? 1 : 0) + (layout === undefined ? 1 : layout.length / 2);
  let timestamp = "";
  return names.split(separator).map((name, i) => {
    // Without containers there may be nothing at all.
    const cellsOf = all.slice(i * width, (i + 1) * width);
    const values = hasTimestamp ? cellsOf.slice(1) : cellsOf;
    const [time = ""] = cellsOf;
    if (hasTimestamp && time !== "") timestamp = time;
    const window = Array.isArray(windowSeconds) ? windowSeconds[i] : windowSeconds;
    const common = {
      name,
      ...(hasTimestamp ? { timestamp } : {}),
      ...(window === undefined ? {} : { windowSeconds: window }),
    };
    if (layout === undefined) return { ...common, value: values[0] ?? "" };
    return { ...common, containers: containersOf(layout, values) };
  });
}

/** From entries, because a container may be named "__proto__". */
function containersOf(layout: readonly string[], values: readonly string[]): ResourceSample["containers"] {
  const containers = new Map<string, (readonly [resource: string, amount: string])[]>();
  for (let at = 0; at < layout.length; at += 2) {
    const container = layout[at] ?? "";
    const usage = containers.get(container) ?? [];
    usage.push([layout[at + 1] ?? "", values[at / 2] ?? ""]);
    containers.set(container, usage);
  }
  return Object.fromEntries(Array.from(containers, ([name, usage]) => [name, Object.fromEntries(usage)]));
}
