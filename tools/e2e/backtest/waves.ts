// The demo's workloads under a load that rises and falls, so that their counts change often.

import { createScenario } from "@plimsoll/demo";
import type { WorkloadLoad } from "@plimsoll/sandbox";

const stepMs = 5000;
/** So many replicas' worth of load on average, and so many more or less. */
const [middle, swing] = [4, 2];

/** One wave for each stream of the demo, none in step with another. */
export function waves(durationMs: number): readonly WorkloadLoad[] {
  return createScenario("full").streams.map(({ load, perReplica, metric }, stream) => {
    // Cpu follows the packets at a distance, so that both metrics decide now and then.
    const share = metric === "cpu" ? 0.9 : 1;
    const periodMs = 360_000 + 31_000 * (metric === "cpu" ? stream - 1 : stream);
    const points = Array.from({ length: Math.ceil(durationMs / stepMs) + 1 }, (_, n) => {
      const turn = (2 * Math.PI * n * stepMs) / periodMs;
      return { atMs: n * stepMs, value: perReplica * share * (middle + swing * Math.sin(turn)) };
    });
    return { ...load, points };
  });
}
