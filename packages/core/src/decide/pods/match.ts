// Matches the samples of a metric with pods, by name.
import { type Usage, usageName } from "../metrics/usage-table.ts";
import type { PodFacts } from "./facts.ts";

/** Which sample belongs to which pod, and which belong to none. */
export interface MatchedUsage {
  /** Index of each pod's sample; undefined where the first pods have the first samples, in order. */
  readonly ofPod: readonly number[] | undefined;
  readonly extra: readonly number[];
}

export function matchUsage(pods: readonly PodFacts[], usage: Usage): MatchedUsage {
  return isAligned(pods, usage) ? { ofPod: undefined, extra: [] } : matchByName(pods, usage);
}

/** APIs mostly list pods in the order in which the cache has them; then nothing needs to be looked up. */
function isAligned(pods: readonly PodFacts[], usage: Usage): boolean {
  const count = usage.samples.length;
  if (count > pods.length) return false;
  for (let i = 0; i < count; i++) {
    if (usageName(usage, i) !== pods[i]?.name) return false;
  }
  return true;
}

/** Of two samples of one name the last counts. */
function matchByName(pods: readonly PodFacts[], usage: Usage): MatchedUsage {
  const byName = new Map<string, number>();
  for (let i = 0; i < usage.samples.length; i++) {
    if (usage.read(i)) byName.set(usageName(usage, i), i);
  }
  const ofPod: number[] = [];
  let matched = 0;
  for (const { name } of pods) {
    const index = byName.get(name) ?? -1;
    if (index >= 0) matched++;
    ofPod.push(index);
  }
  if (matched >= byName.size) return { ofPod, extra: [] };
  for (const { name } of pods) byName.delete(name);
  return { ofPod, extra: [...byName.values()] };
}
