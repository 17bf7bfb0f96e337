// One simulated pod: where it is in its life, and how the API shows it.
import { formatInstant, type Pod, preparePod } from "@plimsoll/core";
import type { PodModel } from "../scenario.ts";

/** Pending without a node, Pending on one, Running, Ready, restarting after a crash, being deleted. */
export type PodStage = "waiting" | "starting" | "running" | "ready" | "crashed" | "deleting";

/** From the start of the container until its end: the counters of a container begin at zero. */
export interface ContainerLife {
  readonly startMs: number;
  /** Infinity while it runs. */
  endMs: number;
  /** When it began to serve; Infinity before. */
  servesFromMs: number;
  servesUntilMs: number;
  /** The workload's served requests per pod when it began, and when it ended to serve. */
  opened: number;
  closed: number;
}

export interface SimulatedPod {
  readonly ordinal: number;
  readonly name: string;
  readonly createdMs: number;
  stage: PodStage;
  /** The kubelet's; undefined before. */
  startMs: number | undefined;
  /** When its readiness changed last. */
  readinessMs: number;
  restarts: number;
  node: number | undefined;
  deletedMs: number | undefined;
  isServing: boolean;
  /** The newest last; older ones while a query can see them. */
  readonly lives: ContainerLife[];
  /** As the API shows it, prepared for `decide`. */
  object: Pod;
}

/** The pod as the API shows it in its stage; instants have whole seconds there. */
export function podObject(pod: Omit<SimulatedPod, "object">, workload: PodWorkload): Pod {
  const { stage, startMs, readinessMs, deletedMs } = pod;
  const isStarted = stage !== "waiting" && stage !== "starting";
  const isReady = stage === "ready" || (stage === "deleting" && pod.isServing);
  const condition = {
    type: "Ready",
    status: isReady ? "True" : "False",
    lastTransitionTime: formatInstant(readinessMs),
  };
  return preparePod({
    metadata: {
      name: pod.name,
      namespace: workload.namespace,
      labels: workload.labels,
      ...(deletedMs === undefined ? {} : { deletionTimestamp: formatInstant(deletedMs) }),
    },
    spec: workload.spec,
    status: {
      phase: isStarted ? "Running" : "Pending",
      ...(startMs === undefined ? {} : { startTime: formatInstant(startMs), conditions: [condition] }),
    },
  });
}

/** What all pods of a workload have in common. */
export interface PodWorkload {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: NonNullable<Pod["spec"]>;
}

/** The specification of the pods of a model. */
export function podSpec({ container, requests }: PodModel): NonNullable<Pod["spec"]> {
  return { containers: [{ name: container, resources: { requests: quantities(requests) } }] };
}

function quantities({ cpu, memory }: PodModel["requests"]): Readonly<Record<string, string>> {
  const all: Record<string, string> = {};
  if (cpu !== undefined) all["cpu"] = `${Math.round(cpu * 1000)}m`;
  if (memory !== undefined) all["memory"] = String(Math.round(memory));
  return all;
}
