// What it costs to only read and parse the usage of all pods.
import { startHelper } from "@plimsoll/testbed";
import type { Fleet } from "./fleet.ts";
import type { UsageCost } from "./usage-reader.ts";

/** CPU seconds of reading the usage of all pods once, as a warm process needs them: the least of some rounds. */
export async function usageFloor({ kubeconfig, objects, pods }: Fleet, rounds = 4): Promise<number> {
  const reader = await startHelper(new URL("./usage-reader.ts", import.meta.url));
  try {
    const namespaces = Array.from({ length: Math.max(1, Math.round(objects / 50)) }, (_, i) => `bench-${i}`);
    const costs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const cost = await reader.request<UsageCost>({ kubeconfig, namespaces });
      if (cost.pods !== objects * pods) throw new Error(`the usage of ${cost.pods} pods was served`);
      costs.push(cost.cpuSeconds);
    }
    return Math.min(...costs);
  } finally {
    await reader.stop();
  }
}
