import type { FamilyCollector } from "./family.ts";
import { nodeCpu, nodeMemory } from "./metric-names.ts";
import { type ContainerUsage, cpuSecondsOf } from "./pod-usage.ts";

/** Adds up what the pods of each node use, also of pods that are gone, so that the counters never fall. */
export interface NodeUsage {
  podGone(node: string, usage: readonly ContainerUsage[]): void;
  report(
    nodes: readonly string[],
    pods: Iterable<{ readonly node: string; readonly usage: readonly ContainerUsage[] }>,
    to: { readonly out: FamilyCollector; readonly nowMs: number },
  ): void;
}

const systemCores = 0.1;
const systemMemoryBytes = 512 * 1024 * 1024;

export function createNodeUsage(startMs: number): NodeUsage {
  const gone = new Map<string, number>();
  const labels = new Map<string, Readonly<Record<string, string>>>();
  const labelsOf = (node: string): Readonly<Record<string, string>> => {
    const found = labels.get(node) ?? { node };
    labels.set(node, found);
    return found;
  };
  return {
    podGone(node, usage) {
      gone.set(node, (gone.get(node) ?? 0) + cpuSecondsOf(usage));
    },
    report(nodes, pods, { out, nowMs }) {
      const sums = new Map(nodes.map((node) => [node, { cpu: 0, memory: 0 }]));
      for (const { node, usage } of pods) {
        const sum = sums.get(node);
        if (sum === undefined) continue;
        sum.cpu += cpuSecondsOf(usage);
        sum.memory += usage.reduce((total, one) => total + one.memoryBytes, 0);
      }
      const systemSeconds = ((nowMs - startMs) / 1000) * systemCores;
      for (const [node, sum] of sums) {
        out.add(nodeCpu, labelsOf(node), systemSeconds + (gone.get(node) ?? 0) + sum.cpu);
        out.add(nodeMemory, labelsOf(node), systemMemoryBytes + sum.memory);
      }
    },
  };
}
