// Labels of a series: sorted, without empty values, with a text that equal labels share.

/** Labels never change. What is computed from a set is kept with the object, so hand out the same object each time. */
export interface LabelSet {
  /** Name, value, name, value: sorted by name. An empty value is the same as no label, so there is none. */
  readonly pairs: readonly string[];
  /** Two sets have the same key exactly when they have the same labels. */
  readonly key: string;
}

export const nameLabel = "__name__";

/** What Prometheus drops together with the name of the metric. */
const reserved: ReadonlySet<string> = new Set([nameLabel, "__type__", "__unit__"]);

/** @param labels each name once. */
export function labelSet(labels: Iterable<readonly [name: string, value: string]>): LabelSet {
  const sorted = [...labels].filter(([, value]) => value !== "").sort(([a], [b]) => (a < b ? -1 : 1));
  return ofPairs(sorted.flat());
}

export const noLabels: LabelSet = { pairs: [], key: "" };

function ofPairs(pairs: readonly string[]): LabelSet {
  return { pairs, key: keyOf(pairs) };
}

/**
 * Lengths come first, so no text within a label can look like the end of one. Joined at once: a text that grows by parts
 * keeps each of them as an object.
 */
function keyOf(pairs: readonly string[]): string {
  return pairs.map((part) => `${part.length}:${part}`).join("");
}

/** Empty when the series does not have the label. */
export function valueOf({ pairs }: LabelSet, name: string): string {
  for (let at = 0; at < pairs.length; at += 2) if (pairs[at] === name) return pairs[at + 1] ?? "";
  return "";
}

/** The same object each time. What plans made for themselves would be kept once for each of them: tenants choose how many. */
export const withoutName: (labels: LabelSet) => LabelSet = memoized((labels) => without(labels, reserved));

export function without(labels: LabelSet, names: ReadonlySet<string>): LabelSet {
  return filtered(labels, (name) => !names.has(name));
}

export function only(labels: LabelSet, names: ReadonlySet<string>): LabelSet {
  return filtered(labels, (name) => names.has(name));
}

function filtered(labels: LabelSet, isKept: (name: string) => boolean): LabelSet {
  const pairs: string[] = [];
  for (let at = 0; at < labels.pairs.length; at += 2) {
    const [name = "", value = ""] = [labels.pairs[at], labels.pairs[at + 1]];
    if (isKept(name)) pairs.push(name, value);
  }
  return pairs.length === labels.pairs.length ? labels : ofPairs(pairs);
}

/** An empty value takes the label away. */
export function withLabel(labels: LabelSet, name: string, value: string): LabelSet {
  const others = [...recordEntries(labels)].filter(([other]) => other !== name);
  return labelSet([...others, [name, value]]);
}

function* recordEntries({ pairs }: LabelSet): Generator<readonly [string, string]> {
  for (let at = 0; at < pairs.length; at += 2) yield [pairs[at] ?? "", pairs[at + 1] ?? ""];
}

/** As other packages have labels. */
export function recordOf(labels: LabelSet): Readonly<Record<string, string>> {
  return Object.fromEntries(recordEntries(labels));
}

/** `{a="1", b="2"}`, for a person. */
export function textOf(labels: LabelSet): string {
  return `{${[...recordEntries(labels)].map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(", ")}}`;
}

/** The function, computed once for each set of labels and forgotten with it. */
export function memoized<T>(compute: (labels: LabelSet) => T): (labels: LabelSet) => T {
  const known = new WeakMap<LabelSet, T>();
  return (labels) => {
    const before = known.get(labels);
    if (before !== undefined) return before;
    const value = compute(labels);
    known.set(labels, value);
    return value;
  };
}
