// Runs the real autoscaler and the real adapter on a simulated cluster under one load, in virtual time.
import type { DecideInput, DecideResult, HorizontalPodAutoscaler } from "@plimsoll/core";
import type { LoadPoint, WorkloadLoad } from "@plimsoll/sandbox";
import { createCluster } from "@plimsoll/storm/cluster/cluster";
import { parts } from "@plimsoll/storm/run/real-parts";
import { runScenario } from "@plimsoll/storm/run/run";
import type { CreateInvariant, FaultKind } from "@plimsoll/storm/run/world";
import type { Scenario } from "@plimsoll/storm/scenario/scenario";
import { createPodLog, type PodLog } from "./pod-log.ts";
import { createSandboxPrometheus } from "./sandbox-prometheus.ts";

/** What the stack has to do. */
export interface StackRequest {
  readonly seed: number;
  readonly replicas: number;
  readonly hpa: HorizontalPodAutoscaler;
  /** Takes the place of the first one at an instant after the start. */
  readonly later?: { readonly afterMs: number; readonly hpa: HorizontalPodAutoscaler };
  /** Requests per second of all pods, with straight lines between the points. */
  readonly load: readonly LoadPoint[];
  readonly scrapeMs?: number;
  readonly durationMs: number;
}

/** A decision of the autoscaler. */
export interface StackDecision {
  readonly atMs: number;
  readonly input: DecideInput;
  readonly result: DecideResult;
}

/** What the stack did. */
export interface StackRun {
  readonly startMs: number;
  readonly endMs: number;
  /** The replicas that the target was given, in time. */
  readonly scale: readonly { readonly atMs: number; readonly value: number }[];
  readonly decisions: readonly StackDecision[];
  readonly pods: PodLog["pods"];
}

/** How the simulated kubelets work. */
export const kubelet = { startDelayMs: 2000, readyDelayMs: 20_000, terminationMs: 5000, nodes: 2 } as const;
export const syncPeriodMs = 15_000;
export const target = { namespace: "default", kind: "Deployment", name: "shop" } as const;
/** Core seconds. */
export const cpuPerRequest = 0.01;
/** What the container of a pod is called, and what it asks for. */
export const container = { name: "main", cpu: 1 } as const;
export const startMs = Date.parse("2026-11-27T00:00:00Z");

/** The stack from its start to its end. @throws where a part of it fails */
export async function runStack(request: StackRequest): Promise<StackRun> {
  const { seed, replicas, hpa, later, durationMs, scrapeMs = 15_000 } = request;
  const scale = [{ atMs: startMs, value: replicas }];
  const decisions: StackDecision[] = [];
  const pods = createPodLog();
  const watch: CreateInvariant = ({ time }) => ({
    name: "accuracy",
    observe(seen) {
      if (seen.kind === "decided")
        decisions.push({ atMs: time.nowMs, input: seen.input, result: seen.result });
      if (seen.kind === "error") return seen.message;
      if (seen.kind !== "written") return undefined;
      const { resource, object } = seen.event;
      if (resource === "pods") pods.observe(seen.event, time.nowMs);
      const value = (object["spec"] as { readonly replicas?: number } | undefined)?.replicas ?? 0;
      if (resource === "deployments.apps" && value !== scale.at(-1)?.value)
        scale.push({ atMs: time.nowMs, value });
      return undefined;
    },
  });
  const events =
    later === undefined
      ? []
      : [{ id: 1, atMs: later.afterMs, forMs: 0, kind: "apply", details: { object: later.hpa } }];
  const scenario: Scenario = {
    seed,
    startMs,
    stormMs: durationMs,
    quietMs: 0,
    setup: {
      autoscalers: 1,
      adapters: 1,
      coordination: "alone",
      flags: ["--manage-hpas=all", `--horizontal-pod-autoscaler-sync-period=${syncPeriodMs / 1000}s`],
      objects: [deployment(replicas), object(hpa)],
    },
    events,
  };
  const { violation } = await runScenario(scenario, {
    ...parts,
    createCluster: ({ time, random }) =>
      createCluster({ time, random: random.stream("cluster"), workloads: kubelet }),
    createPrometheus: (ground) => createSandboxPrometheus(ground, loadsOf(request.load), scrapeMs),
    faults: { apply },
    invariants: [watch],
  });
  if (violation !== undefined) throw new Error(`the stack failed: ${violation.message}`);
  return { startMs, endMs: startMs + durationMs, scale, decisions, pods: pods.pods };
}

/** The same load as requests of the pods, as their cpu, as requests at an Ingress, and as entries of a queue. */
function loadsOf(points: readonly LoadPoint[]): readonly WorkloadLoad[] {
  const { namespace, name } = target;
  return [
    { ...target, metric: "requests", points },
    {
      ...target,
      metric: "cpu",
      points: points.map(({ atMs, value }) => ({ atMs, value: value * cpuPerRequest })),
    },
    { namespace, kind: "Ingress", name, metric: "ingress_requests", points },
    { namespace, kind: "Queue", name, metric: "queue", points },
  ];
}

/** A user applies an object. */
const apply: FaultKind = {
  draw: () => undefined,
  begin({ cluster }, { details }) {
    cluster.apply("user", object(details["object"] as HorizontalPodAutoscaler));
    return undefined;
  },
};

type SetupObject = Scenario["setup"]["objects"][number];

function object({ metadata, spec }: HorizontalPodAutoscaler): SetupObject {
  const { name = "", namespace = "default" } = metadata ?? {};
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace },
    spec,
  };
}

export function deployment(replicas: number): SetupObject {
  const { namespace, name } = target;
  const labels = { app: name };
  const resources = { requests: { cpu: String(container.cpu) } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 30,
          containers: [{ name: container.name, image: "registry.example/shop:1", resources }],
        },
      },
    },
  };
}
