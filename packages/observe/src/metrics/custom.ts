// Queries of custom.metrics.k8s.io and external.metrics.k8s.io, and what they return.
import type { ExternalSamples, ObjectSample, PodSamples, PodsSample } from "@plimsoll/core";
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import {
  InvalidResponseError,
  itemsOf,
  type MetricCall,
  parameter,
  quantityOf,
  textOf,
  timeOf,
} from "./wire.ts";

const maxExcerpt = 100;

export interface CustomQuery {
  /** Version of custom.metrics.k8s.io. */
  readonly version: string;
  readonly namespace: string;
  readonly metric: string;
  readonly metricSelector: string;
}

/**
 * One value per pod that the selector matches. Only calls that are the same in all of it are shared: unlike usage,
 * a custom value may depend on which pods are requested (a rule may rank them, or divide by their sum), adapters bound
 * how many pods a response may have, and each says in its own way that there are none. So what one call for a whole namespace
 * would say of a pod is unknown to be what upstream would have got.
 */
export function podsCall(query: CustomQuery, podSelector: string): MetricCall<PodSamples> {
  return {
    api: "custom",
    path: `${base(query)}/pods/*/${encodeURIComponent(query.metric)}`,
    query: {
      ...parameter("labelSelector", podSelector),
      ...parameter("metricLabelSelector", query.metricSelector),
    },
    read: (body) => ({ pods: itemsOf(body).flatMap((item) => podSample(item, query.namespace)) }),
  };
}

/** The value of one object: `groupResource` as "deployments.apps", or of the namespace itself when undefined. */
export function objectCall(
  query: CustomQuery,
  object: { readonly groupResource: string; readonly name: string } | undefined,
): MetricCall<ObjectSample> {
  const owner =
    object === undefined
      ? "metrics"
      : `${encodeURIComponent(object.groupResource)}/${encodeURIComponent(object.name)}`;
  return {
    api: "custom",
    path: `${base(query)}/${owner}/${encodeURIComponent(query.metric)}`,
    query: parameter("metricLabelSelector", query.metricSelector),
    read: (body) => objectSample(itemsOf(body), query.metric),
  };
}

function base(query: CustomQuery): string {
  return `/apis/custom.metrics.k8s.io/${query.version}/namespaces/${encodeURIComponent(query.namespace)}`;
}

function podSample(item: Fields, namespace: string): readonly PodsSample[] {
  const described = fieldsOf(item["describedObject"]);
  const name = textOf(described["name"]);
  const value = quantityOf(item["value"]);
  // No quantity, no sample: the pod is missing then, never zero. Nor is another namespace's value ever taken.
  if (name === undefined || value === undefined) return [];
  if ((textOf(described["namespace"]) ?? namespace) !== namespace) return [];
  // v1beta2 and v1beta1 spell the window differently.
  const window = item["windowSeconds"] ?? item["window"];
  return [{ name, ...timeOf(item), ...(typeof window === "number" ? { windowSeconds: window } : {}), value }];
}

function objectSample(items: readonly Fields[], metric: string): ObjectSample {
  const [item] = items;
  const count = `the custom metrics API server returned ${items.length} results when we asked for exactly one`;
  if (item === undefined || items.length !== 1) throw new InvalidResponseError(count);
  const value = quantityOf(item["value"]);
  if (value === undefined) throw new InvalidResponseError(notQuantity(metric, item["value"]));
  return { value, ...timeOf(item) };
}

/** The error for a value that is not a quantity. */
export function notQuantity(metric: string, value: unknown): string {
  return `the value of metric ${metric} is not a quantity: ${excerpt(value)}`;
}

function excerpt(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, maxExcerpt));
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}

/** All series of one external metric, in the order served. */
export function externalCall(query: {
  readonly namespace: string;
  readonly metric: string;
  readonly metricSelector: string;
}): MetricCall<ExternalSamples> {
  const { namespace, metric } = query;
  return {
    api: "external",
    path: `/apis/external.metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/${encodeURIComponent(metric)}`,
    query: parameter("labelSelector", query.metricSelector),
    read: (body) => ({
      values: itemsOf(body).map((item) => {
        const value = quantityOf(item["value"]);
        // One series less would be a smaller sum, which is a reason to scale down: the whole response is refused.
        if (value === undefined) throw new InvalidResponseError(notQuantity(metric, item["value"]));
        return { value, ...timeOf(item) };
      }),
    }),
  };
}
