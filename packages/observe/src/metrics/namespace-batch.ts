// The pod usage of one namespace, split by selector.
import { getOrAdd } from "@plimsoll/component-base";
import type { PodSamples, ResourceSample } from "@plimsoll/core";
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import type { Selector } from "@plimsoll/core/selector";
import { type PodUsage, podUsageReader, readPage } from "@plimsoll/kube/protobuf";
import { sampleOf, sampleOfUsage } from "./resource.ts";
import { itemsOf, type MetricCall } from "./wire.ts";

/** The usage of all pods of a namespace, for all selectors that want a part of it. */
export interface NamespaceBatch {
  /** Whether the server returns labels. A pod may have none: one item with labels shows that the server returns them. */
  readonly hasLabels: boolean;
  /** The result of a call with this selector; undefined when the batch does not show it. */
  select(selector: Selector): PodSamples | undefined;
}

interface Labelled {
  readonly sample: ResourceSample;
  readonly labels: Readonly<Record<string, string>>;
}

/** One call instead of one per selector; the items carry the labels that the selectors look at. */
export function batchCall(namespace: string): MetricCall<NamespaceBatch> {
  return {
    api: "resource",
    path: `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`,
    query: {},
    read: (body) => batchOfJson(itemsOf(body), namespace),
    readProtobuf: (bytes) => batchOfUsage(readPage(bytes, podUsageReader).items, namespace),
  };
}

function batchOfJson(items: readonly Fields[], namespace: string): NamespaceBatch {
  const all: Labelled[] = [];
  let hasLabels = items.length === 0;
  for (const item of items) {
    const { labels } = fieldsOf(item["metadata"]);
    if (labels !== undefined) hasLabels = true;
    const sample = sampleOf(item, namespace);
    if (sample !== undefined)
      all.push({ sample, labels: fieldsOf(labels) as Readonly<Record<string, string>> });
  }
  return batchOf(all, hasLabels);
}

function batchOfUsage(items: readonly PodUsage[], namespace: string): NamespaceBatch {
  const all: Labelled[] = [];
  let hasLabels = items.length === 0;
  for (const item of items) {
    const { labels } = item;
    if (labels !== undefined) hasLabels = true;
    const sample = sampleOfUsage(item, namespace);
    if (sample !== undefined) all.push({ sample, labels: labels ?? {} });
  }
  return batchOf(all, hasLabels);
}

function batchOf(all: readonly Labelled[], hasLabels: boolean): NamespaceBatch {
  /** Label key → value → items, made for a key when a selector pins it. */
  const byKey = new Map<string, ReadonlyMap<string, readonly Labelled[]>>();
  return {
    hasLabels,
    select(selector) {
      if (!hasLabels) return undefined;
      const pinned = selector.requirements.find(({ operator }) => operator === "=");
      const searched =
        pinned === undefined
          ? all
          : (getOrAdd(byKey, pinned.key, () => indexOf(pinned.key)).get(pinned.values[0] ?? "") ?? []);
      return { pods: searched.filter(({ labels }) => selector.matches(labels)).map(({ sample }) => sample) };
    },
  };

  function indexOf(key: string): ReadonlyMap<string, readonly Labelled[]> {
    const index = new Map<string, Labelled[]>();
    for (const item of all) {
      const value = item.labels[key];
      if (value !== undefined) getOrAdd(index, value, () => []).push(item);
    }
    return index;
  }
}
