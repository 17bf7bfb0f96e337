// Records of an object that scales by the length of a queue, and files of them.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type DecideInput,
  type DecisionRecord,
  decide,
  type HpaMemory,
  recordDecision,
} from "@plimsoll/core";

/** The queue has `total`, and each replica takes 10. */
export function queueInput(
  name: string,
  at: {
    readonly nowMs: number;
    readonly replicas: number;
    readonly total: number | string;
    readonly maxReplicas: number;
  },
): DecideInput {
  const { nowMs, replicas, total, maxReplicas } = at;
  const target = { type: "AverageValue", averageValue: "10" } as const;
  return {
    nowMs,
    hpa: {
      metadata: { name, namespace: "shop" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        minReplicas: 1,
        maxReplicas,
        metrics: [{ type: "External", external: { metric: { name: "queue" }, target } }],
      },
    },
    scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: `app=${name}` },
    pods: { ok: true, pods: [] },
    samples: [{ values: [{ value: String(total) }] }],
  };
}

export const nowMs = Date.parse("2026-01-01T12:00:00Z");

/** Of an external metric of this total with 10 for each pod, at 3 replicas of at most 10. */
export function record(total: string, name = "web"): DecisionRecord {
  const memory: HpaMemory = {
    recommendations: [{ replicas: 3, atMs: nowMs - 3_600_000 }],
    scaleUpEvents: [],
    scaleDownEvents: [],
  };
  return recorded(queueInput(name, { nowMs, replicas: 3, total, maxReplicas: 10 }), memory);
}

export function recorded(input: DecideInput, memory?: HpaMemory): DecisionRecord {
  return recordDecision({ input, memory, result: decide(input, memory), applied: { outcome: "scaled" } });
}

/** Writes files into a folder. */
export function writerIn(folder: string): (name: string, content: string | Uint8Array) => Promise<string> {
  return async (name, content) => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
}
