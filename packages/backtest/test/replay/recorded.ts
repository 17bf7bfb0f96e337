// Records of an autoscaler on an External metric, as its own loop writes them.
import {
  type DecideInput,
  type DecisionRecord,
  decide,
  type HpaMemory,
  recordDecision,
} from "@plimsoll/core";

export const startMs = Date.parse("2026-01-01T12:00:00Z");
export const periodMs = 15_000;

/** One total a sync, with 10 for each replica; the memory is lost before the sync `restartAt`. */
export function recordedLoop(totals: readonly number[], restartAt?: number): readonly DecisionRecord[] {
  let memory: HpaMemory | undefined;
  let replicas = 3;
  return totals.map((total, n) => {
    if (n === restartAt) memory = undefined;
    const input = inputAt(startMs + n * periodMs, replicas, total);
    const result = decide(input, memory);
    const record = recordDecision({
      input,
      memory,
      result,
      applied: { outcome: result.decision.scaleTo === undefined ? "nothing-to-do" : "scaled" },
    });
    memory = result.memory;
    replicas = result.decision.scaleTo ?? replicas;
    return record;
  });
}

function inputAt(nowMs: number, replicas: number, total: number): DecideInput {
  const target = { type: "AverageValue", averageValue: "10" } as const;
  return {
    nowMs,
    hpa: {
      metadata: { name: "web", namespace: "shop" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        minReplicas: 1,
        maxReplicas: 50,
        metrics: [{ type: "External", external: { metric: { name: "queue" }, target } }],
      },
    },
    scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=web" },
    pods: { ok: true, pods: [] },
    samples: [{ values: [{ value: String(total) }] }],
  };
}
