// etcd restored from a backup.
import type { FaultKind } from "../run/world.ts";
import { numberOf, spreadDuration } from "./details.ts";

const minBackMs = 1000;
const maxBackMs = 30 * 60_000;

export const restoreFaults: Readonly<Record<string, FaultKind>> = {
  "etcd-restored": {
    draw: (random) => ({ backMs: spreadDuration(random.next(), minBackMs, maxBackMs) }),
    weight: 0.3,
    begin({ cluster, time }, event) {
      cluster.restore(time.nowMs - numberOf(event, "backMs"));
      return undefined;
    },
  },
};
