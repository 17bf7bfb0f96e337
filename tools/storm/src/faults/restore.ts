// etcd: restored from a backup, or with its history forgotten.
import type { Random } from "../random/random.ts";
import type { FaultKind } from "../run/world.ts";
import { numberOf, spreadDuration } from "./details.ts";

const minBackMs = 1000;
/** Longer ago than a process trusts its own writes. */
const longMs = 10 * 60_000;
const maxBackMs = 60 * 60_000;

function drawBack(random: Random): Readonly<Record<string, unknown>> {
  return { backMs: spreadDuration(random.next(), random.pick([minBackMs, longMs]), maxBackMs) };
}

export const restoreFaults: Readonly<Record<string, FaultKind>> = {
  "etcd-restored": {
    draw: drawBack,
    begin({ cluster, time }, event) {
      cluster.restore(time.nowMs - numberOf(event, "backMs"));
      return undefined;
    },
  },
  /** What was written last before the restore, no watch has shown: it hung already. */
  "etcd-restored-unseen": {
    draw: drawBack,
    maxForMs: 2 * 60_000,
    begin({ cluster, network, time }, event) {
      const show = network.add({ ofWatch: () => ({ type: "half-open" }) });
      return () => {
        show();
        cluster.restore(time.nowMs - numberOf(event, "backMs"));
      };
    },
  },
};

export const compactionFaults: Readonly<Record<string, FaultKind>> = {
  compaction: {
    draw: () => ({}),
    weight: 0.7,
    begin({ cluster }) {
      cluster.compact();
      return undefined;
    },
  },
};
