// Names of MetricRules that are applied together: two of one name would be one object, the second in place of the first.
import type { Document } from "yaml";

/** Of a MetricRule. */
interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: {
    readonly type: string;
    readonly metric?: string;
    readonly object?: { readonly resource: string };
  };
}

/**
 * Metrics differ in more than names of objects may: a_b and a-b, or a metric of pods and an external one. Of two rules for the
 * same metric the later is kept, as the adapter keeps it of a rules file.
 */
export function namedApart(documents: readonly Document[]): readonly Document[] {
  const metrics = new Map<string, Document>();
  for (const document of documents) {
    const key = metricOf(document);
    metrics.delete(key);
    metrics.set(key, document);
  }
  const taken = new Set<string>();
  for (const document of metrics.values()) {
    const { metadata, spec } = document.toJS() as Named;
    const of = (name: string): string => `${metadata.namespace ?? ""}/${name}`;
    let name = metadata.name;
    for (let number = 2; taken.has(of(name)); number += 1) name = numbered(metadata.name, number);
    taken.add(of(name));
    if (name === metadata.name) continue;
    document.setIn(["metadata", "name"], name);
    // It is left out where it is the name of the object.
    if (spec.metric === undefined) document.setIn(["spec", "metric"], metadata.name);
  }
  return [...metrics.values()];
}

function metricOf(document: Document): string {
  const { metadata, spec } = document.toJS() as Named;
  const { type, metric = metadata.name, object } = spec;
  const resource = type === "Pods" ? "pods" : (object?.resource ?? "");
  return JSON.stringify([metadata.namespace, resource, metric]);
}

const maxName = 253;

function numbered(name: string, number: number): string {
  const end = `-${number}`;
  return `${name.slice(0, maxName - end.length).replace(/[-.]+$/, "")}${end}`;
}
