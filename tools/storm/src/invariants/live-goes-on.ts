// Invariant: live metrics are served while Prometheus is away, and whenever nothing disturbs the processes and the pods.
import { findLive } from "../objects/live.ts";
import type { CreateInvariant } from "../run/world.ts";
import { createCalm } from "./calm.ts";
import { settleMs } from "./evaluated.ts";
import { readRequest } from "./served-response.ts";

/** Of pods that come and go, and of controllers that ask every 15 s. */
const slackMs = 30_000;

export const liveGoesOn: CreateInvariant = (world) => {
  const { scenario, time } = world;
  const liveOf = findLive(scenario.setup);
  const untilSettledMs = settleMs(scenario.setup);
  const calm = createCalm(world, { sudden: /./, ignored: /^prometheus-(?:refuses|silent|slow|fails|down)$/ });
  /** Since when a metric is refused, by process and address. */
  const refusedAtMs = new Map<string, number>();
  return {
    name: "live-goes-on",
    observe(observation) {
      calm.observe(observation);
      if (observation.kind !== "adapter-served") return undefined;
      const { process, url, code } = observation;
      const { namespace = "", metric = "" } = readRequest(url) ?? {};
      const live = liveOf(namespace, metric);
      if (live === undefined) return undefined;
      const key = `${process} ${url}`;
      if (code < 500) {
        refusedAtMs.delete(key);
        return true;
      }
      const sinceMs = refusedAtMs.get(key) ?? time.nowMs;
      refusedAtMs.set(key, sinceMs);
      const forMs = Math.min(time.nowMs - sinceMs, calm.forMs() - untilSettledMs);
      if (forMs <= live.rangeMs + 5 * live.intervalMs + slackMs) return undefined;
      return `${process} has refused ${metric} of ${namespace} for ${String(forMs)} ms: ${observation.body}`;
    },
  };
};
