import type { Pod } from "@plimsoll/core";
import { milliValue, parseQuantity } from "@plimsoll/core/quantity";
import type { PodWorkload } from "./workload.ts";

/** Usage in thousandths, by pod name: what the least possible work starts from. */
export type UsageByPod = ReadonlyMap<string, number>;

export function usageByPod(workload: PodWorkload): UsageByPod {
  return new Map(usages(workload).map(({ name, text }) => [name, Number(milliValue(parseQuantity(text)))]));
}

/** The least that any result from objects costs: look up each pod's usage, check phase and readiness, divide. */
export function join(pods: readonly Pod[], usage: UsageByPod): number {
  let total = 0;
  let ready = 0;
  for (const pod of pods) {
    if (pod.status?.phase !== "Running") continue;
    const sample = usage.get(pod.metadata?.name ?? "");
    if (sample === undefined || !isReady(pod)) continue;
    total += sample;
    ready++;
  }
  return Math.ceil(total / 300 / Math.max(1, ready));
}

/** The same where the usage arrives as a list, as it does from the metrics API. */
export function joinFromList(pods: readonly Pod[], list: readonly (readonly [string, number])[]): number {
  return join(pods, new Map(list));
}

function isReady(pod: Pod): boolean {
  for (const condition of pod.status?.conditions ?? []) {
    if (condition.type === "Ready") return condition.status === "True";
  }
  return false;
}

function usages(workload: PodWorkload): readonly { readonly name: string; readonly text: string }[] {
  const [samples] = workload.samples;
  if (samples === undefined || !("pods" in samples)) return [];
  return samples.pods.map((sample) => {
    const text = "value" in sample ? sample.value : sample.containers["app"]?.["cpu"];
    return { name: sample.name, text: text ?? "" };
  });
}

/** The texts of all quantities that a utilization target reads: usage and request of each pod. */
export function quantityTexts(workload: PodWorkload): readonly string[] {
  const requests = workload.pods.pods.map(
    (pod) => pod.spec?.containers?.[0]?.resources?.requests?.["cpu"] ?? "",
  );
  return [...usages(workload).map(({ text }) => text), ...requests];
}

/** Reads them as a user of the package does. */
export function readQuantities(texts: readonly string[]): number {
  let total = 0n;
  for (const text of texts) total += milliValue(parseQuantity(text));
  return Number(total);
}
