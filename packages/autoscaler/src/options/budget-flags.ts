import type { BudgetConfig } from "../budget/budget.ts";
import type { Flag, FlagName } from "./flags.ts";

/** What the process may ask of the API server, and of what stands behind it. */
export const budgetFlags = [
  {
    name: "concurrent-scale-reads",
    value: "number",
    default: "50",
    help: "reads of targets at the same time; one that takes longer than half a second does not count",
    origin: "ours",
  },
  {
    name: "concurrent-metrics-reads",
    value: "number",
    default: "50",
    help: "the same for each of the metrics APIs",
    origin: "ours",
  },
  {
    name: "concurrent-writes",
    value: "number",
    default: "50",
    help: "writes to the API server at the same time; half of them are kept for counts",
    origin: "ours",
  },
  {
    name: "kube-api-write-qps",
    value: "number",
    default: "1000",
    help: "writes to the API server a second, at most as many at once; counts go first, then events and statuses that say something new, then statuses in which only numbers moved",
    origin: "ours",
  },
  {
    name: "kube-api-status-refresh-qps",
    value: "number",
    default: "20",
    help: "of these, statuses a second in which only numbers moved; the newest is written when its turn comes. With 100000 none waits, as with kube-controller-manager",
    origin: "ours",
  },
] as const satisfies readonly Flag[];

export function compileBudget(
  integer: (name: FlagName, least: number, most: number) => number,
): BudgetConfig {
  return {
    scaleReadsAtOnce: integer("concurrent-scale-reads", 1, 10_000),
    metricsReadsAtOnce: integer("concurrent-metrics-reads", 1, 10_000),
    writes: {
      atOnce: integer("concurrent-writes", 2, 10_000),
      writesPerSecond: integer("kube-api-write-qps", 1, 100_000),
      refreshesPerSecond: integer("kube-api-status-refresh-qps", 1, 100_000),
    },
  };
}
