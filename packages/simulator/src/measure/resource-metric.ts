// The resource metrics: cpu between the last two measurements of a pod, and memory at the last.
import { formatInstant, type ResourceSample } from "@plimsoll/core";
import type { ContainerLife, SimulatedPod } from "../plant/pod.ts";
import type { PodModel, ResourceQuery } from "../scenario.ts";
import { coreSeconds, podValue, servedAt } from "./pod-window.ts";
import { createPodsMetric, type MetricQuery } from "./pods-metric.ts";
import { kibiText, nanoText } from "./quantity-text.ts";
import type { ScrapeGroup, Scrapes } from "./scrapes.ts";

/** Where the last two measurements of a group are. */
interface Pair {
  readonly before: number;
  readonly last: number;
}

/** The samples of the pods, as metrics-server has them: none before a container was measured twice. */
export function createResourceMetric(
  model: PodModel,
  scrapes: Scrapes,
): (pods: readonly SimulatedPod[]) => readonly ResourceSample[] {
  const peaks = new Map<number, number>();
  const sampleOf = (pod: SimulatedPod): ResourceSample | undefined => {
    const group = scrapes.groups[scrapes.groupOf(pod.ordinal)];
    const life = pod.lives[pod.lives.length - 1];
    if (life === undefined || group === undefined || group.scrapes < 2) return undefined;
    const last = (group.scrapes - 1) % scrapes.size;
    const before = (group.scrapes - 2) % scrapes.size;
    const beforeMs = group.atMs[before] ?? 0;
    const lastMs = group.atMs[last] ?? 0;
    if (life.startMs > beforeMs || life.endMs <= lastMs) return undefined;
    return {
      name: pod.name,
      timestamp: formatInstant(lastMs),
      windowSeconds: (lastMs - beforeMs) / 1000,
      containers: {
        [model.container]: {
          cpu: nanoText(coresOf(life, group, { before, last }, model)),
          memory: kibiText(memoryOf(pod, group, last, life)),
        },
      },
    };
  };
  const memoryOf = (pod: SimulatedPod, group: ScrapeGroup, slot: number, life: ContainerLife): number => {
    const now = podValue("memory", { group, slot }, life, model);
    if (model.memory.isReleased || model.memory.perInFlight === 0) return now;
    const key = pod.ordinal * 1000 + pod.restarts;
    const peak = Math.max(peaks.get(key) ?? 0, now);
    peaks.set(key, peak);
    return peak;
  };
  return (pods) => pods.flatMap((pod) => sampleOf(pod) ?? []);
}

/** The samples of the pods, as the metrics adapter has them: measured now, whatever the newest scrape is. */
export function createResourceQuery(
  query: Omit<MetricQuery, "meaning">,
  { query: of, rangeMs, windowMs }: ResourceQuery,
): (pods: readonly SimulatedPod[], atMs: number) => readonly ResourceSample[] {
  const cpu = createPodsMetric({ ...query, meaning: { of: "cpu", query: of, windowMs: rangeMs } });
  const memory = createPodsMetric({ ...query, meaning: { of: "memory", query: "value", windowMs: 0 } });
  return (pods, atMs) => {
    const bytes = new Map(memory(pods, atMs).map(({ name, value }) => [name, value]));
    return cpu(pods, atMs).map(({ name, value }) => ({
      name,
      timestamp: formatInstant(atMs),
      windowSeconds: windowMs / 1000,
      containers: { [query.model.container]: { cpu: value, memory: bytes.get(name) ?? "0" } },
    }));
  };
}

/** Never more than the limit, which throttles. */
function coresOf(life: ContainerLife, group: ScrapeGroup, { before, last }: Pair, model: PodModel): number {
  const usedAt = (slot: number): number => {
    const atMs = group.atMs[slot] ?? 0;
    return coreSeconds(life, atMs, { served: servedAt(life, atMs, group.perPod[slot] ?? 0), model });
  };
  const seconds = ((group.atMs[last] ?? 0) - (group.atMs[before] ?? 0)) / 1000;
  return Math.min(model.limits.cpu ?? Infinity, (usedAt(last) - usedAt(before)) / seconds);
}
