import { groupBy } from "../group-by.ts";
import { quantityOf } from "../query/value.ts";
import type { ContainerUsage } from "./provider.ts";
import type { Usage } from "./resource-queries.ts";

/** One sample of a resource query. */
export interface Reading {
  readonly object: string;
  readonly container: string;
  readonly value: number;
  readonly atMs: number;
}

/**
 * Puts cpu and memory together. An object is left out when it lacks either, or when one of its containers does:
 * a zero in its place would look like an idle container. Negative values, which counter resets can give, count
 * as 0; NaN and ±Inf count as missing.
 */
export function usageOf(cpu: readonly Reading[], memory: readonly Reading[]): ReadonlyMap<string, Usage> {
  const cpuOf = groupBy(cpu, (reading) => reading.object);
  const memoryOf = groupBy(memory, (reading) => reading.object);
  const usages = new Map<string, Usage>();
  for (const [object, cpuReadings] of cpuOf) {
    const usage = join(named(cpuReadings), named(memoryOf.get(object) ?? []));
    if (usage !== undefined) usages.set(object, usage);
  }
  return usages;
}

/**
 * A pod's cgroup is measured under an empty container name and its pause container under POD, often for only one
 * of the two resources. Beside named containers neither is a container of the pod.
 */
function named(readings: readonly Reading[]): readonly Reading[] {
  const real = readings.filter(({ container }) => container !== "" && container !== "POD");
  return real.length === 0 ? readings : real;
}

function join(cpu: readonly Reading[], memory: readonly Reading[]): Usage | undefined {
  const memoryOf = new Map(memory.map((reading) => [reading.container, reading]));
  if (cpu.length === 0 || memoryOf.size !== cpu.length) return undefined;
  const containers: ContainerUsage[] = [];
  let atMs = Number.POSITIVE_INFINITY;
  for (const cpuReading of [...cpu].sort((a, b) => (a.container < b.container ? -1 : 1))) {
    const memoryReading = memoryOf.get(cpuReading.container);
    if (memoryReading === undefined) return undefined;
    const cpuUsage = quantityOf(clamp(cpuReading.value));
    const memoryUsage = quantityOf(clamp(memoryReading.value), "BinarySI");
    if (cpuUsage === undefined || memoryUsage === undefined) return undefined;
    containers.push({ name: cpuReading.container, usage: { cpu: cpuUsage, memory: memoryUsage } });
    atMs = Math.min(atMs, cpuReading.atMs, memoryReading.atMs);
  }
  return { atMs, containers };
}

function clamp(value: number): number {
  return value < 0 && Number.isFinite(value) ? 0 : value;
}
