import type { PodSamples, ResourceSample } from "@plimsoll/core";
import { parseGoDuration } from "../options/go-duration.ts";
import { fieldsOf, instantOf, itemsOf, type MetricCall, parameter, quantityOf, textOf } from "./wire.ts";

/** Usage of all pods that the selector matches, for Resource and ContainerResource metrics. */
export function resourceCall(namespace: string, podSelector: string): MetricCall<PodSamples> {
  return {
    api: "resource",
    path: `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`,
    query: parameter("labelSelector", podSelector),
    read: (body) => ({ pods: itemsOf(body).flatMap((item) => sampleOf(item, namespace)) }),
  };
}

/** None when the item is unusable, or of another namespace. */
export function sampleOf(
  item: Readonly<Record<string, unknown>>,
  namespace: string,
): readonly ResourceSample[] {
  const metadata = fieldsOf(item["metadata"]);
  const name = textOf(metadata["name"]);
  // A value from another namespace is never taken, whatever the API serves.
  if (name === undefined || (textOf(metadata["namespace"]) ?? namespace) !== namespace) return [];
  const containers = new Map<string, Readonly<Record<string, string>>>();
  const list = item["containers"];
  for (const container of Array.isArray(list) ? list.map(fieldsOf) : []) {
    const containerName = textOf(container["name"]);
    if (containerName !== undefined) containers.set(containerName, usageOf(container["usage"]));
  }
  const windowMs = parseGoDuration(textOf(item["window"]) ?? "");
  const timestamp = instantOf(item["timestamp"]);
  return [
    {
      name,
      ...(timestamp === undefined ? {} : { timestamp }),
      ...(windowMs === undefined ? {} : { windowSeconds: windowMs / 1000 }),
      containers: Object.fromEntries(containers),
    },
  ];
}

/** What is not a quantity is left out, so that the pod counts as missing and not as idle. */
function usageOf(usage: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(fieldsOf(usage)).flatMap(([resource, value]) => {
      const quantity = quantityOf(value);
      return quantity === undefined ? [] : [[resource, quantity]];
    }),
  );
}
