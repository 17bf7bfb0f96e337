import type { Usage } from "../metrics/usage-table.ts";
import type { Pod } from "../spec/pod.ts";
import { podName } from "./view.ts";

/** Usage beside the pods it belongs to, and what belongs to none. */
export interface MatchedUsage {
  /** In the order of the pods. */
  readonly ofPod: readonly (Usage | undefined)[];
  readonly extra: readonly Usage[];
}

export function matchUsage(pods: readonly Pod[], usage: readonly Usage[]): MatchedUsage {
  return isAligned(pods, usage) ? { ofPod: usage, extra: [] } : matchByName(pods, usage);
}

/** APIs mostly list pods in the order in which the cache has them; then nothing needs to be looked up. */
function isAligned(pods: readonly Pod[], usage: readonly Usage[]): boolean {
  if (usage.length > pods.length) return false;
  for (let i = 0; i < usage.length; i++) {
    if (usage[i]?.name !== pods[i]?.metadata?.name) return false;
  }
  return true;
}

function matchByName(pods: readonly Pod[], usage: readonly Usage[]): MatchedUsage {
  const byName = new Map<string, Usage>();
  for (const entry of usage) byName.set(entry.name, entry);
  const ofPod = pods.map((pod) => byName.get(podName(pod)));
  let matched = 0;
  for (const entry of ofPod) if (entry !== undefined) matched++;
  if (matched >= byName.size) return { ofPod, extra: [] };
  for (const pod of pods) byName.delete(podName(pod));
  return { ofPod, extra: [...byName.values()] };
}
