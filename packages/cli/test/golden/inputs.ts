// The decisions of the mock-ups: written inputs, decided by core.
import {
  type DecideInput,
  type DecideResult,
  decide,
  type HorizontalPodAutoscaler,
  type HpaMemory,
  type MetricSamples,
  recordDecision,
  type StoredHpaStatus,
} from "@plimsoll/core";
import type { Explained } from "../../src/decisions/source.ts";
import type { ObjectIdentity } from "../../src/objects/scaling-object.ts";

/** When they were decided. */
export const decidedMs = Date.parse("2026-11-22T10:00:02Z");
export const at = (time: string): number => Date.parse(`2026-11-22T${time}Z`);

export interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly bounds: readonly [min: number, max: number];
  readonly metrics: HorizontalPodAutoscaler["spec"]["metrics"];
  readonly samples: readonly MetricSamples[];
  readonly memory?: HpaMemory;
  readonly status?: StoredHpaStatus;
  readonly behavior?: HorizontalPodAutoscaler["spec"]["behavior"];
  readonly mode?: DecideInput["mode"];
}

/** Percent of requests. */
export const cpu = (averageUtilization: number) => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

export const external = (name: string, averageValue: string) => ({
  type: "External",
  external: { metric: { name }, target: { type: "AverageValue", averageValue } },
});

/** The usage of each pod in millicores; each requests 500. */
export function cpuSamples(name: string, replicas: number, milli: number): MetricSamples {
  return {
    pods: podNames(name, replicas).map((pod) => ({
      name: pod,
      timestamp: "2026-11-22T10:00:00Z",
      windowSeconds: 15,
      containers: { app: { cpu: `${milli}m` } },
    })),
  };
}

function podNames(name: string, replicas: number): readonly string[] {
  return Array.from({ length: replicas }, (_, index) => `${name}-${index}`);
}

export function inputOf(workload: Workload): DecideInput {
  const { namespace, name, replicas, bounds, metrics, samples, status, behavior, mode = "Shadow" } = workload;
  return {
    nowMs: decidedMs,
    hpa: {
      apiVersion: "autoscaling/v2",
      metadata: { name, namespace, uid: `uid-${name}` },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        minReplicas: bounds[0],
        maxReplicas: bounds[1],
        metrics,
        behavior,
      },
      status,
    },
    scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: `app=${name}` },
    pods: {
      ok: true,
      pods: podNames(name, replicas).map((pod) => ({
        metadata: { name: pod, namespace, labels: { app: name } },
        spec: { containers: [{ name: "app", resources: { requests: { cpu: "500m" } } }] },
        status: {
          phase: "Running",
          startTime: "2026-11-22T08:00:00Z",
          conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-11-22T08:00:00Z" }],
        },
      })),
    },
    samples,
    mode,
  };
}

/** As the autoscaler records it. */
export function recorded(workload: Workload): Explained {
  return recordedInput(workload, inputOf(workload));
}

export function recordedInput(workload: Workload, input: DecideInput): Explained {
  const { memory } = workload;
  const result: DecideResult = decide(input, memory);
  return {
    source: "recorded",
    at: "2026-11-22T10:00:02Z",
    object: identityOf(workload),
    mode: workload.mode === "Active" ? "active" : "shadow",
    decision: result.decision,
    record: recordDecision({ input, memory, result, applied: { outcome: "shadow" } }),
    assumptions: [],
    notes: [],
    findings: [],
    comparison: { verdict: "agrees", difference: null, assumptions: [], theirs: null, notes: [] },
  };
}

export function identityOf({ namespace, name }: Pick<Workload, "namespace" | "name">): ObjectIdentity {
  return {
    resource: "horizontalpodautoscalers",
    namespace,
    name,
    uid: `uid-${name}`,
    target: { kind: "Deployment", name },
  };
}

export const shop: Workload = {
  namespace: "default",
  name: "shop",
  replicas: 8,
  bounds: [2, 40],
  metrics: [cpu(60), external("queue_depth", "30")],
  samples: [cpuSamples("shop", 8, 170), { values: [{ value: "90" }] }],
  memory: {
    recommendations: [
      { replicas: 5, atMs: at("09:55:02") },
      { replicas: 5, atMs: at("09:59:16") },
      { replicas: 8, atMs: at("09:59:31") },
      { replicas: 5, atMs: at("09:59:47") },
    ],
    scaleUpEvents: [],
    scaleDownEvents: [],
  },
};

export const importer: Workload = {
  namespace: "batch",
  name: "import",
  replicas: 3,
  bounds: [1, 20],
  metrics: [external("queue_lag", "100")],
  samples: [{ error: "the server could not find the metric queue_lag" }],
};

export const billing: Workload = {
  namespace: "pay",
  name: "billing",
  replicas: 40,
  bounds: [4, 40],
  metrics: [external("queue_depth", "30")],
  samples: [{ values: [{ value: "2190" }] }],
  memory: {
    recommendations: [{ replicas: 73, atMs: at("09:59:47") }],
    scaleUpEvents: [],
    scaleDownEvents: [],
  },
};
