// The client-side limits of the autoscaler: metrics reads in flight, and writes per second.
import type { Clock, Logger } from "@plimsoll/component-base";
import type { KubeClient, KubeRequest } from "@plimsoll/kube";
import type { Registry } from "prom-client";
import { define } from "../telemetry/define.ts";
import { type CallLimit, createCallLimit, withLimits } from "./call-limit.ts";
import { createWriteBudget, type WriteBudget, type WriteBudgetSettings } from "./write-budget.ts";
import type { Urgency } from "./write-lines.ts";

export interface BudgetConfig {
  readonly scaleReadsAtOnce: number;
  /** For each of the metrics APIs. */
  readonly metricsReadsAtOnce: number;
  readonly writes: WriteBudgetSettings;
}

/** The limits of this process at the API server, and at the metrics APIs behind it. */
export interface Budget {
  readonly writes: WriteBudget;
  /** The client for evaluations to read with. */
  reading(client: KubeClient): KubeClient;
  /** A client whose writes wait for the budget, scales before events and statuses. */
  writing(client: KubeClient): KubeClient;
}

const metricsGroups = ["metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"];

export function createBudget(
  config: BudgetConfig,
  { clock, registry, log }: { readonly clock: Clock; readonly registry: Registry; readonly log: Logger },
): Budget {
  const writes = createWriteBudget({
    ...config.writes,
    clock,
    onCrash: (err) => log.error({ err }, "a write crashed; other writes are not affected"),
  });
  const scales = createCallLimit({ clock, atOnce: config.scaleReadsAtOnce });
  const metrics = new Map(
    metricsGroups.map((group) => [group, createCallLimit({ clock, atOnce: config.metricsReadsAtOnce })]),
  );
  define(registry).series(
    "plimsoll_waiting_writes",
    "Waiting writes: scale (replicas, bounds), report (events, new status), refresh (only numbers changed).",
    ["urgency"],
    (gauge) => {
      for (const urgency of ["scale", "report", "refresh"] as const)
        gauge.set({ urgency }, writes.waiting(urgency));
    },
  );

  return {
    writes,
    reading: (client) => withLimits(client, limitOf),
    writing: (client) => ({
      ...client,
      request: (request) =>
        request.method === undefined || request.method === "GET"
          ? client.request(request)
          : writes.run(urgencyOf(request), () => client.request(request)),
    }),
  };

  function limitOf({ path }: KubeRequest): CallLimit {
    const group = path.startsWith("/apis/") ? path.slice("/apis/".length).split("/", 1)[0] : undefined;
    return metrics.get(group ?? "") ?? scales;
  }
}

/** By what is written, whoever writes it: replicas, and the bounds of HPAs, before everything else. */
export function urgencyOf({ path }: Pick<KubeRequest, "path">): Urgency {
  return /\/(?:scale|horizontalpodautoscalers\/[^/]+)$/.test(path) ? "scale" : "report";
}
