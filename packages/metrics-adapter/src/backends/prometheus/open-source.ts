// Connects to one Prometheus and sets up its limits, caches and health.
import { createLogLimiter, steadyNowMs } from "@plimsoll/component-base";
import { cut, type PrometheusClient } from "@plimsoll/prometheus";
import { limitDiscovery } from "./catalog/limit-discovery.ts";
import { createPrometheusCircuit } from "./circuit.ts";
import { type Instruments, instrumentPrometheus } from "./instrumented.ts";
import type { ResponseBudgets } from "./query/response-budgets.ts";
import { createQueryRunner, type QueryRunner } from "./query/runner.ts";
import type { EngineSeams } from "./seams.ts";
import type { Source } from "./source.ts";

/** A source with its limits: what runs queries on it, and what lists its series. */
export interface OpenSource {
  readonly runner: QueryRunner;
  readonly discovery: PrometheusClient;
  /** Whether nothing is sent to it, because it cannot be reached. */
  isOpen(): boolean;
}

export interface SourceSeams extends EngineSeams {
  /** Of all sources together. */
  readonly budgets: ResponseBudgets;
  /** How long a list of series may take. */
  readonly listTimeoutMs?: number | undefined;
}

/** Between two log lines about failures of one kind. */
const logPauseMs = 60_000;

export function openSource(name: string, source: Source, seams: SourceSeams): OpenSource {
  const { clock, log, telemetry } = seams;
  const isDue = createLogLimiter(clock, logPauseMs);
  const client = instrumentPrometheus(source.client, {
    requested(request, error) {
      telemetry.prometheusRequest({ ...request, source: name });
      const { outcome } = request;
      // Clients get less of it: they may not know where Prometheus is.
      if (outcome !== "ok" && outcome !== "canceled" && isDue(outcome))
        log.warn({ source: name, kind: outcome, err: error }, "a request to a source failed");
    },
    leftOut: createOnLeftOut(name, seams),
    seconds: () => steadyNowMs(clock) / 1000,
  });
  const { queried, probing } = source.isByNamespace === true ? ofTenants(client) : everywhere(client);
  const circuit = createPrometheusCircuit(probing, clock);
  return {
    isOpen: () => circuit.isOpen(),
    runner: createQueryRunner({ ...seams, source: { ...source, client: queried }, circuit }),
    discovery: limitDiscovery({ ...seams, prometheus: client, circuit }),
  };
}

const leftOutPauseMs = 600_000;

/** Counts what responses lack, and logs it now and then for each endpoint and namespace. */
function createOnLeftOut(source: string, { clock, log, telemetry }: SourceSeams): Instruments["leftOut"] {
  const isDue = createLogLimiter(clock, leftOutPauseMs);
  return ({ endpoint, request, namespace, leftOut }) => {
    telemetry.prometheusLeftOut({ source, endpoint, items: leftOut.items });
    if (!isDue(`${endpoint} ${namespace ?? ""}`)) return;
    const { items, maxBytes, start } = leftOut;
    const fields = { source, endpoint, request: cut(request), namespace, items, maxBytes, start };
    log.warn(fields, "series of Prometheus are too large and were left out");
  };
}

interface Clients {
  readonly queried: PrometheusClient;
  readonly probing: Pick<PrometheusClient, "query">;
}

function everywhere(client: PrometheusClient): Clients {
  return { queried: client, probing: client };
}

/** Whether such a server can be reached is asked as the tenant that was queried last; the probe reads no data. */
function ofTenants(client: PrometheusClient): Clients {
  let namespace: string | undefined;
  return {
    queried: {
      ...client,
      query(promql, limits) {
        namespace = limits?.namespace ?? namespace;
        return client.query(promql, limits);
      },
    },
    probing: { query: (promql, limits) => client.query(promql, { ...limits, namespace }) },
  };
}
