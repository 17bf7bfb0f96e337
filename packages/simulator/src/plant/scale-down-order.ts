import type { SimulatedPod } from "./pod.ts";

/**
 * The pods in the order in which a scale-down takes them: without a node, not running, not ready, ready for the
 * shortest time, most restarts, newest. Pods of a simulation have no cost of deletion.
 * @upstream pkg/controller/controller_utils.go#ActivePodsWithRanks
 */
export function scaleDownOrder(pods: readonly SimulatedPod[]): readonly SimulatedPod[] {
  return [...pods].sort(compare);
}

function compare(a: SimulatedPod, b: SimulatedPod): number {
  return (
    Number(a.node !== undefined) - Number(b.node !== undefined) ||
    phaseRank(a) - phaseRank(b) ||
    Number(a.stage === "ready") - Number(b.stage === "ready") ||
    readySeconds(b) - readySeconds(a) ||
    b.restarts - a.restarts ||
    seconds(b.createdMs) - seconds(a.createdMs) ||
    b.ordinal - a.ordinal
  );
}

function phaseRank({ stage }: SimulatedPod): number {
  return stage === "waiting" || stage === "starting" ? 0 : 1;
}

function readySeconds({ stage, readinessMs }: SimulatedPod): number {
  return stage === "ready" ? seconds(readinessMs) : 0;
}

/** The API keeps whole seconds. */
function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
