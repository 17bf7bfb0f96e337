// The history of changes is forgotten.
import type { FaultKind } from "../run/world.ts";

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
