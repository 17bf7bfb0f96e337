import type { CustomMetricValue } from "../backends/prometheus/providers/custom-api.ts";
import { rfc3339 } from "./wire-time.ts";

/**
 * A MetricValueList of v1beta2 as JSON, the same string that JSON.stringify gives for its object. Most items of a
 * list differ in name and value only; what they share is written once.
 */
export function customListJson(values: readonly CustomMetricValue[]): string {
  const items: string[] = [];
  let first: CustomMetricValue | undefined;
  let shared = { head: "", middle: "" };
  for (const value of values) {
    if (first === undefined || !isAlike(first, value)) {
      first = value;
      shared = sharedParts(value);
    }
    const window =
      value.windowSeconds === undefined ? "" : `"windowSeconds":${Math.round(value.windowSeconds)},`;
    items.push(
      `${shared.head}${JSON.stringify(value.name)}${shared.middle}"timestamp":"${rfc3339(value.atMs)}",${window}"value":${JSON.stringify(value.value)}}`,
    );
  }
  const sent = values[0]?.query;
  const query = sent === undefined ? "" : `"query":${JSON.stringify(sent)},`;
  return `{"kind":"MetricValueList","apiVersion":"custom.metrics.k8s.io/v1beta2","metadata":{},${query}"items":[${items.join(",")}]}`;
}

function isAlike(a: CustomMetricValue, b: CustomMetricValue): boolean {
  return (
    a.kind === b.kind &&
    a.apiVersion === b.apiVersion &&
    a.namespace === b.namespace &&
    a.metric === b.metric &&
    a.selector === b.selector
  );
}

function sharedParts(value: CustomMetricValue): { readonly head: string; readonly middle: string } {
  const namespace = value.namespace === undefined ? "" : `"namespace":${JSON.stringify(value.namespace)},`;
  const metric = { name: value.metric, selector: value.selector ?? null };
  return {
    head: `{"describedObject":{"kind":${JSON.stringify(value.kind)},${namespace}"name":`,
    middle: `,"apiVersion":${JSON.stringify(value.apiVersion)}},"metric":${JSON.stringify(metric)},`,
  };
}
