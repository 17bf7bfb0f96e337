// The names under which simulated metrics are exported.
import type { Family } from "./family.ts";
import type { LoadMetric } from "./workload-load.ts";

export type FamilyHead = Omit<Family, "samples">;

export interface RateFamilies {
  readonly total: FamilyHead;
  readonly perSecond: FamilyHead;
}

const known: Readonly<Record<string, readonly [string, string]>> = {
  packets: ["packets_total", "packets_per_second"],
  requests: ["http_requests_total", "requests_per_second"],
};

/** The counter and the gauge under which a rate is reported. */
export function rateFamilies(metric: LoadMetric): RateFamilies {
  const plain = metric.replaceAll(/[^a-zA-Z0-9_]/g, "_");
  const [total, perSecond] = known[metric] ?? [`${plain}_total`, `${plain}_per_second`];
  return {
    total: { name: total, type: "counter", help: `Simulated ${metric} so far.` },
    perSecond: { name: perSecond, type: "gauge", help: `Simulated ${metric} per second at this moment.` },
  };
}

export const queueDepth: FamilyHead = {
  name: "queue_depth",
  type: "gauge",
  help: "Entries waiting in a simulated queue.",
};
export const containerCpu: FamilyHead = {
  name: "container_cpu_usage_seconds_total",
  type: "counter",
  help: "Simulated cpu time used by a container.",
};
export const containerMemory: FamilyHead = {
  name: "container_memory_working_set_bytes",
  type: "gauge",
  help: "Simulated working set of a container.",
};
export const nodeCpu: FamilyHead = {
  name: "node_cpu_usage_seconds_total",
  type: "counter",
  help: "Simulated cpu time used by a node.",
};
export const nodeMemory: FamilyHead = {
  name: "node_memory_working_set_bytes",
  type: "gauge",
  help: "Simulated working set of a node.",
};
