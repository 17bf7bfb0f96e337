// An API server whose watch cache is behind.
import type { FaultKind } from "../run/world.ts";
import { numberOf, spreadDuration } from "./details.ts";

const minLagMs = 100;
const maxLagMs = 3 * 60_000;

export const lagFaults: Readonly<Record<string, FaultKind>> = {
  "api-server-lag": {
    draw: (random) => ({ lagMs: spreadDuration(random.next(), minLagMs, maxLagMs) }),
    maxForMs: 10 * 60_000,
    begin: ({ cluster }, event) => cluster.addLag(numberOf(event, "lagMs")),
  },
};
