import { labelOf, type VectorSample } from "@plimsoll/prometheus";
import { byLabel } from "../query/by-label.ts";

export interface MatchRequest {
  readonly samples: readonly VectorSample[];
  readonly resourceLabel: string;
  readonly names: readonly string[];
  /** Samples that carry this label with another value are of another namespace and are dropped. */
  readonly namespace: { readonly label: string; readonly name: string } | undefined;
}

export type Matched =
  | { readonly ok: true; readonly byName: ReadonlyMap<string, VectorSample>; readonly foreign: number }
  | { readonly ok: false; readonly name: string; readonly samples: readonly VectorSample[] };

/** Finds each object's sample. Two samples for one object are an error: which is right cannot be known. */
export function matchSamples(request: MatchRequest): Matched {
  const byName = new Map<string, VectorSample>();
  let foreign = 0;
  const samplesOf = byLabel(request.samples, request.resourceLabel);
  for (const name of request.names) {
    for (const sample of samplesOf.get(name) ?? []) {
      if (isForeign(sample, request.namespace)) {
        foreign += 1;
        continue;
      }
      const other = byName.get(name);
      if (other !== undefined) return { ok: false, name, samples: [other, sample] };
      byName.set(name, sample);
    }
  }
  return { ok: true, byName, foreign };
}

function isForeign(sample: VectorSample, namespace: MatchRequest["namespace"]): boolean {
  if (namespace === undefined) return false;
  const carried = labelOf(sample.labels, namespace.label);
  return carried !== undefined && carried !== namespace.name;
}

/** Label sets in PromQL's spelling, for messages. */
export function describeSamples(samples: readonly VectorSample[]): string {
  return samples.map(({ labels }) => describeLabels(labels)).join(" and ");
}

/** One label set in PromQL's spelling. */
export function describeLabels(labels: VectorSample["labels"]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `{${pairs.sort().join(", ")}}`;
}
