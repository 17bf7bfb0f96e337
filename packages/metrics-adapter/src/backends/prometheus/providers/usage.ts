// Reads cpu and memory usage of pods and nodes from query results.

import { labelOf, type VectorSample } from "@plimsoll/prometheus";
import { byLabel, quantityOf } from "@plimsoll/rules";

export interface ResourceUsage {
  readonly cpu: string;
  readonly memory: string;
}

export interface ContainerUsage {
  readonly name: string;
  readonly usage: ResourceUsage;
}

/** What an object uses, container by container; a node counts as one container. */
export interface Usage {
  readonly atMs: number;
  readonly containers: readonly ContainerUsage[];
}

/** The result of one of the two queries, and how to read it. */
export interface Readings {
  readonly samples: readonly VectorSample[];
  readonly labels: ReadingLabels;
  /** Says which of the rules is at fault when an object has two series. */
  readonly isDouble: (object: string, container: string) => UsageProblem;
}

export interface ReadingLabels {
  readonly object: string;
  readonly namespace: string | undefined;
  readonly container: string | undefined;
}

export interface UsageProblem {
  readonly problem: string;
}

/** Undefined: there is no usable one. */
export type ObjectUsage = Usage | UsageProblem | undefined;

/** Reads the usage of one object out of two results. */
export type UsageReader = (object: string) => ObjectUsage;

/**
 * Puts cpu and memory together. An object is left out when it lacks either, or when one of its containers does:
 * a zero in its place would look like an idle container. Negative values, which counter resets can give, count
 * as 0; NaN and ±Inf count as missing.
 * @param namespace Samples that carry another are of another namespace's objects.
 */
export function createUsageReader(
  cpu: Readings,
  memory: Readings,
  namespace: string | undefined,
): UsageReader {
  const known = new Map<string, ObjectUsage>();
  return (object) => {
    if (known.has(object)) return known.get(object);
    const usage = readUsage(cpu, memory, { object, namespace });
    known.set(object, usage);
    return usage;
  };
}

interface Wanted {
  readonly object: string;
  readonly namespace: string | undefined;
}

function readUsage(cpu: Readings, memory: Readings, wanted: Wanted): ObjectUsage {
  const cpuOf = byContainer(cpu, wanted);
  if ("problem" in cpuOf) return cpuOf;
  const memoryOf = byContainer(memory, wanted);
  if ("problem" in memoryOf) return memoryOf;
  return join(named(cpuOf), named(memoryOf));
}

type ByContainer = ReadonlyMap<string, VectorSample>;

function byContainer(readings: Readings, { object, namespace }: Wanted): ByContainer | UsageProblem {
  const { labels } = readings;
  const found = new Map<string, VectorSample>();
  for (const sample of byLabel(readings.samples, labels.object).get(object) ?? []) {
    if (namespace !== undefined && labels.namespace !== undefined) {
      if ((labelOf(sample.labels, labels.namespace) ?? namespace) !== namespace) continue;
    }
    const container = labels.container === undefined ? "" : (labelOf(sample.labels, labels.container) ?? "");
    if (found.has(container)) return readings.isDouble(object, container);
    found.set(container, sample);
  }
  return found;
}

/**
 * A pod's cgroup is measured under an empty container name and its pause container under POD, often for only one
 * of the two resources. Beside named containers neither is a container of the pod.
 */
function named(samples: ByContainer): ByContainer {
  if (!samples.has("") && !samples.has("POD")) return samples;
  const real = new Map([...samples].filter(([container]) => container !== "" && container !== "POD"));
  return real.size === 0 ? samples : real;
}

function join(cpu: ByContainer, memory: ByContainer): Usage | undefined {
  if (cpu.size === 0 || memory.size !== cpu.size) return undefined;
  const containers: ContainerUsage[] = [];
  let atMs = Number.POSITIVE_INFINITY;
  for (const name of [...cpu.keys()].sort()) {
    const [cpuSample, memorySample] = [cpu.get(name), memory.get(name)];
    if (cpuSample === undefined || memorySample === undefined) return undefined;
    const cpuUsage = quantityOf(clamp(cpuSample.value));
    const memoryUsage = quantityOf(clamp(memorySample.value), "BinarySI");
    if (cpuUsage === undefined || memoryUsage === undefined) return undefined;
    containers.push({ name, usage: { cpu: cpuUsage, memory: memoryUsage } });
    atMs = Math.min(atMs, cpuSample.atMs, memorySample.atMs);
  }
  return { atMs, containers };
}

function clamp(value: number): number {
  return value < 0 && Number.isFinite(value) ? 0 : value;
}
