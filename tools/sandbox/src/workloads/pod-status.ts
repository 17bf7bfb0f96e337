// The status of a pod at each stage of its life.
import type { ContainerSpec, ContainerState, ContainerStatus, Pod, PodCondition, PodStatus } from "./pod.ts";
import type { PodStage } from "./pod-stage.ts";

export interface PodStatusInput {
  readonly pod: Pod;
  readonly stage: PodStage;
  /** RFC 3339 text. */
  readonly now: string;
  readonly podIP: string;
  readonly hostIP: string;
}

/** The status a kubelet would report for a pod in this stage. */
export function podStatusFor(options: PodStatusInput): PodStatus {
  const { pod, stage, now } = options;
  const finished = stage === "Failed" || stage === "Succeeded";
  const condition = conditionWriter(pod, now);
  if (stage === "Unschedulable") {
    return {
      phase: "Pending",
      conditions: [
        condition("PodScheduled", false, "Unschedulable", "0 nodes are available: held back on request."),
      ],
      qosClass: "Burstable",
    };
  }
  const isReady = stage === "Ready";
  const notReadyReason = finished ? "PodCompleted" : "ContainersNotReady";
  return {
    phase: phases[stage],
    startTime: pod.status?.startTime ?? now,
    hostIP: options.hostIP,
    ...(stage === "Scheduled" ? {} : { podIP: options.podIP, podIPs: [{ ip: options.podIP }] }),
    qosClass: "Burstable",
    conditions: [
      condition("Initialized", true),
      isReady ? condition("Ready", true) : condition("Ready", false, notReadyReason),
      isReady ? condition("ContainersReady", true) : condition("ContainersReady", false, notReadyReason),
      condition("PodScheduled", true),
    ],
    containerStatuses: (pod.spec?.containers ?? []).map((container) => containerStatus(container, options)),
  };
}

const phases: Readonly<Record<PodStage, string>> = {
  Unscheduled: "Pending",
  Unschedulable: "Pending",
  Scheduled: "Pending",
  Running: "Running",
  Ready: "Running",
  CrashLoop: "Running",
  Failed: "Failed",
  Succeeded: "Succeeded",
};

function conditionWriter(pod: Pod, now: string) {
  return (type: string, isTrue: boolean, reason?: string, message?: string): PodCondition => {
    const status = isTrue ? "True" : "False";
    const before = pod.status?.conditions?.find((one) => one.type === type);
    return {
      type,
      status,
      lastTransitionTime: (before?.status === status ? before.lastTransitionTime : undefined) ?? now,
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
    };
  };
}

function containerStatus(container: ContainerSpec, options: PodStatusInput): ContainerStatus {
  const before = options.pod.status?.containerStatuses?.find((one) => one.name === container.name);
  const restartCount = (before?.restartCount ?? 0) + (options.stage === "CrashLoop" ? 1 : 0);
  return {
    name: container.name,
    image: container.image ?? "",
    imageID: "",
    ready: options.stage === "Ready",
    started: options.stage === "Ready" || options.stage === "Running",
    restartCount,
    state: containerState(options.stage, options.now, before),
    lastState:
      options.stage === "CrashLoop"
        ? { terminated: { reason: "Error", exitCode: 1, finishedAt: options.now } }
        : (before?.lastState ?? {}),
  };
}

function containerState(stage: PodStage, now: string, before: ContainerStatus | undefined): ContainerState {
  switch (stage) {
    case "Running":
    case "Ready":
      return { running: { startedAt: before?.state?.running?.startedAt ?? now } };
    case "CrashLoop":
      return { waiting: { reason: "CrashLoopBackOff" } };
    case "Failed":
      return { terminated: { reason: "Error", exitCode: 1, finishedAt: now } };
    case "Succeeded":
      return { terminated: { reason: "Completed", exitCode: 0, finishedAt: now } };
    case "Unscheduled":
    case "Unschedulable":
    case "Scheduled":
    default:
      return { waiting: { reason: "ContainerCreating" } };
  }
}
