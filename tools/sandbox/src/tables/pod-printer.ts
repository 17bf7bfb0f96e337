// Columns of pods.
import { humanDuration } from "@plimsoll/core/internal/values";
import {
  type ContainerState,
  type ContainerStatus,
  isTerminating,
  type Pod,
  podCondition,
} from "../workloads/pod.ts";
import { ageSince } from "./human-duration.ts";
import { columns, type Printer } from "./table.ts";

/** @upstream pkg/printers/internalversion/printers.go#printPod */
export const podPrinter: Printer = {
  columns: columns(
    "Name",
    "Ready",
    "Status",
    "Restarts",
    "Age",
    "+IP",
    "+Node",
    "+Nominated Node",
    "+Readiness Gates",
  ),
  cells(object, { nowMs }) {
    const pod = object as Pod;
    const statuses = pod.status?.containerStatuses ?? [];
    const ready = statuses.filter((one) => one.ready === true && one.state?.running !== undefined).length;
    return [
      pod.metadata.name,
      `${ready}/${pod.spec?.containers?.length ?? 0}`,
      statusText(pod, statuses, ready > 0),
      restartsText(statuses, nowMs),
      ageSince(pod.metadata.creationTimestamp, nowMs),
      pod.status?.podIP ?? "<none>",
      pod.spec?.nodeName ?? "<none>",
      pod.status?.nominatedNodeName ?? "<none>",
      gatesText(pod),
    ];
  },
};

function statusText(pod: Pod, statuses: readonly ContainerStatus[], hasRunning: boolean): string {
  const ending = terminationText(pod);
  if (ending !== undefined) return ending;
  const reasons = statuses.map((one) => stateReason(one.state)).filter((reason) => reason !== undefined);
  // The first container that has a reason wins over the later ones.
  const reason = reasons[0] ?? podReason(pod);
  if (reason !== "Completed" || !hasRunning) return reason;
  return podCondition(pod, "Ready")?.status === "True" ? "Running" : "NotReady";
}

function terminationText(pod: Pod): string | undefined {
  if (!isTerminating(pod)) return undefined;
  if (pod.status?.reason === "NodeLost") return "Unknown";
  const phase = pod.status?.phase;
  return phase === "Succeeded" || phase === "Failed" ? undefined : "Terminating";
}

function podReason(pod: Pod): string {
  if (podCondition(pod, "PodScheduled")?.reason === "SchedulingGated") return "SchedulingGated";
  return pod.status?.reason || (pod.status?.phase ?? "");
}

function stateReason(state: ContainerState | undefined): string | undefined {
  if (state?.waiting?.reason) return state.waiting.reason;
  const { terminated } = state ?? {};
  if (terminated === undefined) return undefined;
  if (terminated.reason) return terminated.reason;
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode ?? 0}`;
}

function restartsText(statuses: readonly ContainerStatus[], nowMs: number): string {
  const restarts = statuses.reduce((total, one) => total + (one.restartCount ?? 0), 0);
  const ends = statuses.map((one) => Date.parse(one.lastState?.terminated?.finishedAt ?? ""));
  const last = Math.max(...ends.filter((end) => !Number.isNaN(end)));
  return restarts === 0 || !Number.isFinite(last)
    ? String(restarts)
    : `${restarts} (${humanDuration(nowMs - last)} ago)`;
}

function gatesText(pod: Pod): string {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter((gate) => podCondition(pod, gate.conditionType)?.status === "True").length;
  return `${open}/${gates.length}`;
}
