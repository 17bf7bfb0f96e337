// Connects to one Prometheus and sets up its limits, caches and health.
import { type CacheMeter, type Clock, type Logger, steadyNowMs } from "@plimsoll/component-base";
import type { PrometheusClient } from "@plimsoll/prometheus";
import type { EngineTelemetry } from "../../telemetry/prometheus.ts";
import { limitDiscovery } from "./catalog/limit-discovery.ts";
import { createPrometheusCircuit } from "./circuit.ts";
import { instrumentPrometheus } from "./instrumented.ts";
import { createQueryRunner, type QueryRunner } from "./query/runner.ts";
import type { Source } from "./source.ts";

/** A source with its limits: what runs queries on it, and what lists its series. */
export interface OpenSource {
  readonly runner: QueryRunner;
  readonly discovery: PrometheusClient;
  /** Whether nothing is sent to it, because it cannot be reached. */
  isOpen(): boolean;
}

export interface SourceSeams {
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: EngineTelemetry;
  readonly meter?: CacheMeter | undefined;
}

export function openSource(name: string, source: Source, seams: SourceSeams): OpenSource {
  const { clock, telemetry } = seams;
  const client = instrumentPrometheus(
    source.client,
    (request) => telemetry.prometheusRequest({ ...request, source: name }),
    () => steadyNowMs(clock) / 1000,
  );
  const { queried, probing } = source.isByNamespace === true ? ofTenants(client) : everywhere(client);
  const circuit = createPrometheusCircuit(probing, clock);
  return {
    isOpen: () => circuit.isOpen(),
    runner: createQueryRunner({ ...seams, source: { ...source, client: queried }, circuit }),
    discovery: limitDiscovery({ prometheus: client, circuit, clock }),
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
