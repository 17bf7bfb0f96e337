// Finds each object's sample in the result of a query.
import { cut, labelOf, type QueryTemplate, type VectorSample } from "@plimsoll/prometheus";
import { byLabel } from "./by-label.ts";

export interface MatchRequest {
  readonly samples: readonly VectorSample[];
  readonly resourceLabel: string;
  readonly names: readonly string[];
  /** Samples that carry this label with another value are of another namespace and are dropped. */
  readonly namespace: { readonly label: string; readonly name: string } | undefined;
}

export interface Matched {
  readonly byName: ReadonlyMap<string, VectorSample>;
  /** Objects with several samples, which have no value: which is right cannot be known. */
  readonly doubled: readonly Doubled[];
  readonly foreign: number;
}

export interface Doubled {
  readonly name: string;
  readonly samples: readonly VectorSample[];
}

/** Finds each object's sample. */
export function matchSamples(request: MatchRequest): Matched {
  const byName = new Map<string, VectorSample>();
  const doubled: Doubled[] = [];
  let foreign = 0;
  const samplesOf = byLabel(request.samples, request.resourceLabel);
  for (const name of request.names) {
    const all = samplesOf.get(name) ?? [];
    const own = all.filter((sample) => !isForeign(sample, request.namespace));
    foreign += all.length - own.length;
    const [sample] = own;
    if (own.length > 1) doubled.push({ name, samples: own });
    else if (sample !== undefined) byName.set(name, sample);
  }
  return { byName, doubled, foreign };
}

function isForeign(sample: VectorSample, namespace: MatchRequest["namespace"]): boolean {
  if (namespace === undefined) return false;
  const carried = labelOf(sample.labels, namespace.label);
  return carried !== undefined && carried !== namespace.name;
}

/** Why no object can be found in a result, and the remedy; undefined where some sample has the label. */
export function labelProblem(
  samples: readonly Pick<VectorSample, "labels">[],
  label: string,
  template: QueryTemplate | undefined,
): string | undefined {
  if (samples.length === 0 || samples.some(({ labels }) => labelOf(labels, label) !== undefined))
    return undefined;
  const problem = `the result has no label ${label}`;
  return isGroupedBy(template) ? problem : `${problem}; end the query with by (<<.GroupBy>>)`;
}

/** Whether a query says by which labels it groups, so that part of it loses them. */
export function isGroupedBy(template: QueryTemplate | undefined): boolean {
  const used = template?.fields.used;
  return used?.has("GroupBy") === true || used?.has("GroupBySlice") === true;
}

/** Label sets in PromQL's spelling, for messages. */
export function describeSamples(samples: readonly VectorSample[]): string {
  return samples.map(({ labels }) => describeLabels(labels)).join(" and ");
}

/** One label set in PromQL's spelling. */
export function describeLabels(labels: VectorSample["labels"]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return cut(`{${pairs.sort().join(", ")}}`);
}
