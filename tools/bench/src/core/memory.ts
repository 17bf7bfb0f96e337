// What one autoscaler keeps between two evaluations, in bytes.
import { decide, type HpaMemory } from "@plimsoll/core";
import { makeWorkloads, type PodWorkload } from "./workload.ts";

export interface MemoryUse {
  readonly name: string;
  readonly bytesEach: number;
}

const count = 10_000;
const periodMs = 15_000;

const situations = [
  { name: "its first evaluation", evaluations: 1, behavior: undefined },
  { name: "a full window, no behavior", evaluations: 40, behavior: undefined },
  { name: "a full window, default behavior", evaluations: 40, behavior: { scaleUp: {}, scaleDown: {} } },
];

/** Heap per HPA of what `decide` wants back at the next evaluation. */
export function measureMemory(collect: () => void): readonly MemoryUse[] {
  const [workload] = makeWorkloads(1, 1, "external");
  if (workload === undefined) throw new Error("no workload");
  return situations.map(({ name, evaluations, behavior }) => {
    const hpa = { ...workload.hpa, spec: { ...workload.hpa.spec, behavior } } as PodWorkload["hpa"];
    const held: (HpaMemory | undefined)[] = Array.from({ length: count });
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < count; i++) {
      let memory: HpaMemory | undefined;
      for (let step = 0; step < evaluations; step++) {
        const replicas = 2 + ((i + step) % 5);
        const scale = { ...workload.scale, specReplicas: replicas, statusReplicas: replicas };
        const input = { ...workload, hpa, scale, samples: [{ values: [{ value: `${replicas + 1}` }] }] };
        memory = decide({ ...input, nowMs: workload.nowMs + step * periodMs }, memory).memory;
      }
      held[i] = memory;
    }
    collect();
    const bytes = process.memoryUsage().heapUsed - before;
    if (held.some((memory) => memory === undefined)) throw new Error("a memory got lost");
    return { name, bytesEach: Math.round(bytes / count) };
  });
}
