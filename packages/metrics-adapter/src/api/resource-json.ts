// Serializes PodMetrics and NodeMetrics as JSON.
import { formatGoDuration } from "@plimsoll/core/duration";
import type { PodMetrics } from "../backends/prometheus/providers/resource-api.ts";
import type { ContainerUsage } from "../backends/prometheus/providers/usage.ts";
import { rfc3339 } from "./wire-time.ts";

/** Of a pod as the cluster knows it: the same object for as long as the pod does not change. */
const labelTexts = new WeakMap<object, string>();

/** A PodMetricsList as text, the same that JSON.stringify would give of its object. */
export function podListJson(pods: readonly PodMetrics[], createdAt: string): string {
  let text = '{"kind":"PodMetricsList","apiVersion":"metrics.k8s.io/v1beta1","metadata":{},"items":[';
  let separator = "";
  let windowSeconds = Number.NaN;
  let window = "";
  for (const pod of pods) {
    if (pod.windowSeconds !== windowSeconds) {
      windowSeconds = pod.windowSeconds;
      window = formatGoDuration(1000 * windowSeconds);
    }
    const { name, namespace, labels, containers } = pod;
    text += `${separator}{"metadata":{"name":${quoted(name)},"namespace":${quoted(namespace)},"creationTimestamp":"${createdAt}"${labelsText(labels)}},`;
    text += `"timestamp":"${rfc3339(pod.atMs)}","window":"${window}","containers":[${containersText(containers)}]}`;
    separator = ",";
  }
  return `${text}]}`;
}

function containersText(containers: readonly ContainerUsage[]): string {
  let text = "";
  for (const { name, usage } of containers) {
    const separator = text === "" ? "" : ",";
    text += `${separator}{"name":${quoted(name)},"usage":{"cpu":${quoted(usage.cpu)},"memory":${quoted(usage.memory)}}}`;
  }
  return text;
}

/** JSON of a text; nearly all are names and quantities, which need no escape. */
function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

const plain = /^[\w.-]*$/;

function labelsText(labels: Readonly<Record<string, string>>): string {
  const known = labelTexts.get(labels);
  if (known !== undefined) return known;
  const text = Object.keys(labels).length === 0 ? "" : `,"labels":${JSON.stringify(labels)}`;
  labelTexts.set(labels, text);
  return text;
}
