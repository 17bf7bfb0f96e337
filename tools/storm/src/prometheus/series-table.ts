// All series of the simulated Prometheus, found by name and namespace.
import type { Labels } from "@plimsoll/prometheus";
import type { LabelMatcher, Selector } from "@plimsoll/prometheus/testing";
import type { Series } from "./series.ts";

export interface SeriesTable {
  add(series: Series): void;
  delete(series: Series): void;
  select(selector: Selector): readonly Series[];
}

export function createSeriesTable(): SeriesTable {
  const byName = new Map<string, Map<string, Set<Series>>>();
  const place = ({ name, labels }: Series): Set<Series> => {
    const namespaces = byName.get(name) ?? new Map<string, Set<Series>>();
    byName.set(name, namespaces);
    const namespace = labels["namespace"] ?? "";
    const found = namespaces.get(namespace) ?? new Set<Series>();
    namespaces.set(namespace, found);
    return found;
  };
  return {
    add: (series) => void place(series).add(series),
    delete: (series) => void place(series).delete(series),
    select({ name, matchers }) {
      const namespaces = byName.get(name);
      if (namespaces === undefined) return [];
      const confined = matchers.find(({ label, operator }) => label === "namespace" && operator === "=");
      const found: Series[] = [];
      const scan = (all: Iterable<Series>): void => {
        for (const series of all) if (isMatch(series.labels, matchers)) found.push(series);
      };
      if (confined !== undefined) scan(namespaces.get(confined.value) ?? []);
      else for (const all of namespaces.values()) scan(all);
      return found;
    },
  };
}

function isMatch(labels: Labels, matchers: readonly LabelMatcher[]): boolean {
  for (const { label, test } of matchers) if (!test(labels[label] ?? "")) return false;
  return true;
}
