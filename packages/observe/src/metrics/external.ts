import type { ExternalSamples } from "@plimsoll/core";
import { notQuantity } from "./custom.ts";
import { InvalidResponseError, itemsOf, type MetricCall, parameter, quantityOf, timeOf } from "./wire.ts";

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
