// Invariant: a process that gets SIGTERM stops by itself.
import type { CreateInvariant } from "../run/world.ts";

/** As Kubernetes waits before it kills. */
const graceMs = 30_000;
/** What a process still waits for ends within this time after a fault. */
const settleMs = 60_000;
/** These do not hold up a process: users, and pods and leases that go. */
const harmless = /^(object|hpa|workload|pod|lease|rollout|stop)/;

/** Unless something else disturbs it: requests that are lost, for example, are waited for. */
export const stopsInTime: CreateInvariant = ({ cluster, time }) => {
  const disturbing = new Set<number>();
  const stoppingMs = new Map<string, number>();
  let disturbedMs = Number.NEGATIVE_INFINITY;
  cluster.onRestore(() => (disturbedMs = time.nowMs));
  return {
    name: "stops-in-time",
    observe(observation) {
      if (observation.kind === "fault" && !harmless.test(observation.event.kind)) {
        if (observation.change === "begins" && observation.event.forMs > 0)
          disturbing.add(observation.event.id);
        else disturbing.delete(observation.event.id);
        disturbedMs = time.nowMs;
      }
      if (observation.kind !== "process") return undefined;
      const { process, change } = observation;
      if (change === "stopping") stoppingMs.set(process, time.nowMs);
      const sinceMs = stoppingMs.get(process);
      if (change !== "killed" || sinceMs === undefined) {
        if (change === "stopped" || change === "started") stoppingMs.delete(process);
        return change === "stopped" ? true : undefined;
      }
      stoppingMs.delete(process);
      const isCalm = disturbing.size === 0 && sinceMs - disturbedMs >= settleMs;
      return isCalm && time.nowMs - sinceMs >= graceMs
        ? `${process} got SIGTERM, and did not stop within ${String(graceMs)} ms`
        : undefined;
    },
  };
};
