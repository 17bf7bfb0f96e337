// etcd restored from a backup.
import type { FaultKind } from "../run/world.ts";
import { numberOf, spreadDuration } from "./details.ts";

const minBackMs = 1000;
/** Longer ago than a process trusts its own writes. */
const longMs = 10 * 60_000;
const maxBackMs = 60 * 60_000;

export const restoreFaults: Readonly<Record<string, FaultKind>> = {
  "etcd-restored": {
    draw: (random) => ({
      backMs: spreadDuration(random.next(), random.pick([minBackMs, longMs]), maxBackMs),
    }),
    weight: 0.6,
    begin({ cluster, time }, event) {
      cluster.restore(time.nowMs - numberOf(event, "backMs"));
      return undefined;
    },
  },
};
