import type { Clock, KubeClient, KubeRequest } from "@plimsoll/kube";
import { Gauge, type Registry } from "prom-client";
import { type CallLimit, createCallLimit, withLimits } from "./call-limit.ts";
import {
  createWriteBudget,
  type Urgency,
  type WriteBudget,
  type WriteBudgetSettings,
} from "./write-budget.ts";

export interface BudgetConfig {
  readonly scaleReadsAtOnce: number;
  /** For each of the metrics APIs. */
  readonly metricsReadsAtOnce: number;
  readonly writes: WriteBudgetSettings;
}

/** What this process may ask of the API server, and of what stands behind it. */
export interface Budget {
  readonly writes: WriteBudget;
  /** The client for evaluations to read with. */
  reading(client: KubeClient): KubeClient;
  /** A client whose writes wait for their turn. */
  writing(client: KubeClient, urgency: Urgency): KubeClient;
}

const metricsGroups = ["metrics.k8s.io", "custom.metrics.k8s.io", "external.metrics.k8s.io"];

export function createBudget(
  config: BudgetConfig,
  o: { readonly clock: Clock; readonly registry: Registry },
): Budget {
  const { clock } = o;
  const writes = createWriteBudget({ ...config.writes, clock });
  const scales = createCallLimit({ clock, atOnce: config.scaleReadsAtOnce });
  const metrics = new Map(
    metricsGroups.map((group) => [group, createCallLimit({ clock, atOnce: config.metricsReadsAtOnce })]),
  );
  o.registry.registerMetric(waitingGauge(writes));

  return {
    writes,
    reading: (client) => withLimits(client, limitOf),
    writing: (client, urgency) => ({
      ...client,
      request: (request) =>
        request.method === undefined || request.method === "GET"
          ? client.request(request)
          : writes.run(urgency, () => client.request(request)),
    }),
  };

  function limitOf({ path }: KubeRequest): CallLimit {
    const group = path.startsWith("/apis/") ? path.slice("/apis/".length).split("/", 1)[0] : undefined;
    return metrics.get(group ?? "") ?? scales;
  }
}

function waitingGauge(writes: WriteBudget): Gauge {
  return new Gauge({
    name: "plimsoll_waiting_writes",
    help: "Writes that wait for their turn: counts, events and statuses with news, statuses in which only numbers moved.",
    labelNames: ["urgency"],
    registers: [],
    collect() {
      for (const urgency of ["scale", "told", "refresh"] as const)
        this.set({ urgency }, writes.waiting(urgency));
    },
  });
}
