// Serializes PodMetrics and NodeMetrics as JSON.
import { formatGoDuration } from "@plimsoll/core/duration";
import type { PodMetrics } from "../backends/prometheus/providers/resource-api.ts";
import { rfc3339 } from "./wire-time.ts";

/** Of a pod as the cluster knows it: the same object for as long as the pod does not change. */
const labelTexts = new WeakMap<object, string>();

/** A PodMetricsList as text, the same that JSON.stringify would give of its object. */
export function podListJson(pods: readonly PodMetrics[], createdAt: string): string {
  const items = pods.map((pod) => {
    const containers = pod.containers.map(
      ({ name, usage }) =>
        `{"name":${JSON.stringify(name)},"usage":{"cpu":${JSON.stringify(usage.cpu)},"memory":${JSON.stringify(usage.memory)}}}`,
    );
    const metadata = `"name":${JSON.stringify(pod.name)},"namespace":${JSON.stringify(pod.namespace)},"creationTimestamp":"${createdAt}"${labelsText(pod.labels)}`;
    return `{"metadata":{${metadata}},"timestamp":"${rfc3339(pod.atMs)}","window":"${formatGoDuration(1000 * pod.windowSeconds)}","containers":[${containers.join(",")}]}`;
  });
  return `{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[${items.join(",")}]}`;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const known = labelTexts.get(labels);
  if (known !== undefined) {
    return known;
  }
  const text = Object.keys(labels).length === 0 ? "" : `,"labels":${JSON.stringify(labels)}`;
  labelTexts.set(labels, text);
  return text;
}
