import type { CustomMetricValue } from "../backends/prometheus/providers/custom-api.ts";
import { rfc3339 } from "./wire-time.ts";

/**
 * A MetricValueList of v1beta2 as JSON, the same string that JSON.stringify gives for its object. The items of a
 * list differ in name, value and time only; what they share is written once.
 */
export function customListJson(values: readonly CustomMetricValue[]): string {
  const [first] = values;
  const items = first === undefined ? "" : itemsJson(first, values);
  const query = first?.query === undefined ? "" : `"query":${JSON.stringify(first.query)},`;
  return `{"kind":"MetricValueList","apiVersion":"custom.metrics.k8s.io/v1beta2","metadata":{},${query}"items":[${items}]}`;
}

function itemsJson(shared: CustomMetricValue, values: readonly CustomMetricValue[]): string {
  const namespace = shared.namespace === undefined ? "" : `"namespace":${JSON.stringify(shared.namespace)},`;
  const metric = { name: shared.metric, selector: shared.selector ?? null };
  const window =
    shared.windowSeconds === undefined ? "" : `"windowSeconds":${Math.round(shared.windowSeconds)},`;
  const head = `{"describedObject":{"kind":${JSON.stringify(shared.kind)},${namespace}"name":`;
  const middle = `,"apiVersion":${JSON.stringify(shared.apiVersion)}},"metric":${JSON.stringify(metric)},"timestamp":"`;
  return values
    .map(
      ({ name, atMs, value }) =>
        `${head}${JSON.stringify(name)}${middle}${rfc3339(atMs)}",${window}"value":${JSON.stringify(value)}}`,
    )
    .join(",");
}
