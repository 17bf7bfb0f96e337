// Invariant: an adapter serves only what was requested: the namespace, the object, the metric, and what the selector selects.
import { parseSelector, type Selector } from "@plimsoll/core/selector";
import type { Labels } from "@plimsoll/prometheus";
import type { CreateInvariant, Observed } from "../run/world.ts";
import { type MetricsRequest, readServed, type ServedItem, type ServedMetrics } from "./served-response.ts";

export const servedObjects: CreateInvariant = () => {
  /** Of each pod that there ever was, all labels that it had: adapters may know any of them still. */
  const labelsOf = new Map<string, Map<string, Labels>>();
  const selectors = new Map<string, Selector>();

  const noteLabels = ({ event }: Observed<"written">): void => {
    if (event.resource !== "pods") return;
    const { namespace = "", name, labels = {} } = event.object.metadata;
    const key = `${namespace}/${name}`;
    const known = labelsOf.get(key) ?? new Map<string, Labels>();
    labelsOf.set(key, known.set(JSON.stringify(labels), labels));
  };

  const selectorOf = (text: string): Selector => {
    const selector = selectors.get(text) ?? parseSelector(text);
    selectors.set(text, selector);
    return selector;
  };

  const isSelected = ({ api, labelSelector }: MetricsRequest, item: ServedItem): boolean => {
    const selector = selectorOf(labelSelector);
    if (api === "external") return selector.matches(item.labels ?? {});
    if (labelSelector === "") return true;
    const known = labelsOf.get(`${item.namespace ?? ""}/${item.name}`);
    return known !== undefined && [...known.values()].some((labels) => selector.matches(labels));
  };

  const problemOf = ({ request, items }: ServedMetrics): string | undefined => {
    for (const item of items) {
      if (request.namespace !== undefined && item.namespace !== request.namespace)
        return `${item.name} is of namespace ${String(item.namespace)}`;
      if (request.metric !== item.metric) return `${item.name} has a value of ${item.metric}`;
      if (request.name !== undefined && request.name !== item.name)
        return `the value is that of ${item.name}`;
      if (request.name === undefined && !isSelected(request, item)) return `${item.name} is not selected`;
    }
    return undefined;
  };

  return {
    name: "served-objects",
    observe(observation) {
      if (observation.kind === "written") noteLabels(observation);
      if (observation.kind !== "adapter-served") return undefined;
      const served = readServed(observation);
      const problem = served === undefined ? undefined : problemOf(served);
      if (served === undefined) return undefined;
      return problem === undefined ? true : `${observation.process} at ${observation.url}: ${problem}`;
    },
  };
};
