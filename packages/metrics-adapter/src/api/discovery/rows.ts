// The rows of a list of resources, held by what they have in common: there may be 200,000.
import { getOrAdd } from "@plimsoll/component-base";

/** Rows that differ in nothing but their names. */
export interface Rows {
  /** What their names begin with, such as pods/; empty where each name is a resource by itself. */
  readonly prefix: string;
  readonly isNamespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
  /** In order, without the prefix. */
  readonly names: readonly string[];
}

/** Exactly get: with list or watch, garbage collection, quota and namespace deletion would try to use them. */
const metricVerbs: readonly string[] = ["get"];

/** Rows of metrics, each name once, and a resource in namespaces when any of its rows is. */
export function createRowsBuilder(kind: string) {
  const groups = new Map<string, { isNamespaced: boolean; readonly names: string[] }>();
  return {
    add(prefix: string, name: string, isNamespaced: boolean): void {
      const group = getOrAdd(groups, prefix, () => ({ isNamespaced, names: [] }));
      group.isNamespaced ||= isNamespaced;
      group.names.push(name);
    },
    /** Of the resource, as far as it has rows: clients refuse a document that gives it two. */
    scopeOf: (prefix: string) => groups.get(prefix)?.isNamespaced,
    rows: (): readonly Rows[] =>
      [...groups]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([prefix, { isNamespaced, names }]) => ({
          prefix,
          isNamespaced,
          kind,
          verbs: metricVerbs,
          names: names.sort().filter((name, at) => name !== names[at - 1]),
        })),
  };
}

/** One row alone. */
export function rowOf(name: string, kind: string, isNamespaced: boolean, verbs = metricVerbs): Rows {
  return { prefix: "", isNamespaced, kind, verbs, names: [name] };
}
