// How long the labels of a series may be after a query rewrote them, compared to those of the series that it read.

/** A label's text at most: copies of the texts of source labels, and bytes that the query wrote. */
export interface TextBound {
  readonly copies: ReadonlyMap<string, number>;
  readonly bytes: number;
}

/** The labels of each series of an expression. */
export interface LabelText {
  /** Those that the query has named. */
  readonly bounds: ReadonlyMap<string, TextBound>;
  /** Whether there may be others, each with the text that it had. */
  readonly hasOthers: boolean;
  /** Series that one of the selected series may have become. */
  readonly series: number;
  /** Labels that were copied from a series of another selector, and those that label functions copied after that. */
  readonly joined: number;
}

export const noLabels: LabelText = { bounds: new Map(), hasOthers: false, series: 1, joined: 0 };
/** As a selector gives them. */
export const ownLabels: LabelText = { bounds: new Map(), hasOthers: true, series: 1, joined: 0 };
const empty: TextBound = { copies: new Map(), bytes: 0 };

export function boundOf({ bounds, hasOthers }: LabelText, label: string): TextBound {
  return bounds.get(label) ?? (hasOthers ? { copies: new Map([[label, 1]]), bytes: 0 } : empty);
}

/** One text after another. */
export function joined(bounds: readonly TextBound[], bytes: number): TextBound {
  const copies = new Map<string, number>();
  for (const bound of bounds)
    for (const [label, count] of bound.copies) copies.set(label, (copies.get(label) ?? 0) + count);
  return { copies, bytes: bounds.reduce((sum, bound) => sum + bound.bytes, bytes) };
}

export function repeated(bound: TextBound, times: number, bytes: number): TextBound {
  const copies = new Map([...bound.copies].map(([label, count]) => [label, count * times]));
  return { copies, bytes: bound.bytes * times + bytes };
}

/** One or the other. */
export function eitherText(one: TextBound, other: TextBound): TextBound {
  const copies = new Map(one.copies);
  for (const [label, count] of other.copies) copies.set(label, Math.max(count, copies.get(label) ?? 0));
  return { copies, bytes: Math.max(one.bytes, other.bytes) };
}

export function withLabel(text: LabelText, label: string, bound: TextBound): LabelText {
  return { ...text, bounds: new Map(text.bounds).set(label, bound) };
}

/** Series of both. */
export function either(one: LabelText, other: LabelText): LabelText {
  const labels = [...one.bounds.keys(), ...other.bounds.keys()];
  const bounds = new Map(labels.map((name) => [name, eitherText(boundOf(one, name), boundOf(other, name))]));
  const series = Math.max(one.series, other.series);
  const joinedLabels = Math.max(one.joined, other.joined);
  return { bounds, hasOthers: one.hasOthers || other.hasOthers, series, joined: joinedLabels };
}

export function onlyLabels(text: LabelText, labels: readonly string[]): LabelText {
  const bounds = new Map(labels.map((label) => [label, boundOf(text, label)]));
  const kept = [...bounds.values()].reduce((sum, bound) => sum + labelsOfText(bound), 0);
  return { ...text, bounds, hasOthers: false, joined: Math.min(text.joined, kept) };
}

/** Whose texts it has; one that it has twice counts twice. */
export function labelsOfText({ copies }: TextBound): number {
  return [...copies.values()].reduce((sum, count) => sum + count, 0);
}

export function withoutLabels(text: LabelText, labels: readonly string[]): LabelText {
  return { ...text, bounds: new Map([...text.bounds, ...labels.map((label) => [label, empty] as const)]) };
}

/** All labels of a series: at most `copies` times the text that it was read with, and `bytes` more. */
export function totalOf({ bounds, hasOthers }: LabelText): {
  readonly copies: number;
  readonly bytes: number;
} {
  const { copies, bytes } = joined([...bounds.values()], 0);
  let most = hasOthers ? 1 : 0;
  for (const [label, count] of copies)
    most = Math.max(most, count + (hasOthers && !bounds.has(label) ? 1 : 0));
  return { copies: most, bytes };
}

/** In bytes, with labels of the usual length. */
export function lengthOf({ copies, bytes }: TextBound): number {
  return labelsOfText({ copies, bytes }) * usualLabelBytes + bytes;
}

/** Names of pods have about as many. */
export const usualLabelBytes = 64;
