// Reads cpu and memory usage of pods and nodes from query results.

import { labelOf, type VectorSample } from "@plimsoll/prometheus";
import { byLabel, quantityOf, type ValueFormat } from "@plimsoll/rules";

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
  /** Containers that have only one of the two values. */
  readonly halves: readonly HalfUsage[];
}

export interface HalfUsage {
  readonly name: string;
  readonly lacks: "cpu" | "memory";
}

/** Why an object is left out; without a cause it has no series. */
export interface UsageLack {
  readonly reason: "no_usage" | "no_cpu" | "no_memory" | "several_series";
  readonly cause: string | undefined;
}

/**
 * The usage, unless a running container has only one of the two values: a zero in place of the other would look like
 * an idle container. An init container or one that ended keeps one of its series for some time, and costs its pod nothing.
 */
export function usableIn(usage: ObjectUsage | undefined, running: readonly string[] = []): Usage | UsageLack {
  if (usage === undefined) return { reason: "no_usage", cause: undefined };
  if ("problem" in usage) return { reason: "several_series", cause: usage.problem };
  const { containers, halves } = usage;
  const half = halves.find(({ name }) => containers.length === 0 || running.includes(name));
  if (half === undefined) return containers.length > 0 ? usage : { reason: "no_usage", cause: undefined };
  const { name, lacks } = half;
  const [whose, other] = [name === "" ? "it" : `its container ${name}`, lacks === "cpu" ? "memory" : "cpu"];
  return { reason: `no_${lacks}`, cause: `${whose} has ${other} usage and no ${lacks} usage` };
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

export type ObjectUsage = Usage | UsageProblem;

/** Reads the usage of one object out of two results. */
export type UsageReader = (object: string) => ObjectUsage;

/**
 * Puts cpu and memory together. Negative values, which counter resets can give, count as 0; NaN and ±Inf count as
 * missing.
 * @param namespace Samples that carry another are of another namespace's objects.
 */
export function createUsageReader(
  cpu: Readings,
  memory: Readings,
  namespace: string | undefined,
): UsageReader {
  const known = new Map<string, ObjectUsage>();
  return (object) => {
    const usage = known.get(object) ?? readUsage(cpu, memory, { object, namespace });
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

function join(cpu: ByContainer, memory: ByContainer): Usage {
  const containers: ContainerUsage[] = [];
  const halves: HalfUsage[] = [];
  let atMs = Number.POSITIVE_INFINITY;
  for (const name of [...new Set([...cpu.keys(), ...memory.keys()])].sort()) {
    const ofCpu = readingOf(cpu.get(name), "DecimalSI");
    const ofMemory = readingOf(memory.get(name), "BinarySI");
    if (ofCpu === undefined || ofMemory === undefined) {
      halves.push({ name, lacks: ofCpu === undefined ? "cpu" : "memory" });
      continue;
    }
    containers.push({ name, usage: { cpu: ofCpu.amount, memory: ofMemory.amount } });
    atMs = Math.min(atMs, ofCpu.atMs, ofMemory.atMs);
  }
  return { atMs, containers, halves };
}

function readingOf(
  sample: VectorSample | undefined,
  format: ValueFormat,
): { readonly amount: string; readonly atMs: number } | undefined {
  if (sample === undefined) return undefined;
  const { value, atMs } = sample;
  const amount = quantityOf(value < 0 && Number.isFinite(value) ? 0 : value, format);
  return amount === undefined ? undefined : { amount, atMs };
}
