// The API clients of the autoscaler, with their timeouts, rate limits and field managers.
import { apiErrorText, createRestMapper, type KubeClient, type RestMapper } from "@plimsoll/kube";
import type { Registry } from "prom-client";
import { type Budget, createBudget } from "../budget/budget.ts";
import { asFieldManager } from "../objects/field-managers.ts";
import type { AutoscalerConfig } from "../options/config.ts";
import { createEventTelemetry, type EventTelemetry } from "../telemetry/event-telemetry.ts";
import { createLoggedEvents, type LoggedEvents, type LoggedEventsDeps } from "../telemetry/logged-events.ts";

/** How this process reads from the API server and writes to it, within its budget. */
export interface Clients {
  readonly budget: Budget;
  /** Ends with the process: what only reads is cut short. */
  readonly reading: KubeClient;
  /** What writes is brought to its end. */
  readonly writing: KubeClient;
  readonly mapper: RestMapper;
  readonly events: LoggedEvents;
  readonly eventTelemetry: EventTelemetry;
  readonly discoveryMs: number;
}

export function createClients(
  config: AutoscalerConfig,
  deps: Omit<LoggedEventsDeps, "eventTelemetry"> & {
    readonly registry: Registry;
    /** Aborted when the process stops. */
    readonly signal: AbortSignal;
  },
): Clients {
  const { client, clock, log, registry, signal } = deps;
  const budget = createBudget(config.budget, { clock, registry, log });
  const reading = budget.reading(withTimeout(client, config.requestTimeoutMs, signal));
  const writing = asFieldManager(withTimeout(client, config.requestTimeoutMs));
  const discoveryMs = discoveryMaxAge(config.syncPeriodMs);
  const mapper = createRestMapper({
    client: reading,
    clock,
    maxAgeMs: discoveryMs,
    onError: (error) => log.warn({ error: apiErrorText(error) }, "discovery is not complete"),
  });
  const eventTelemetry = createEventTelemetry(registry);
  const events = createLoggedEvents("horizontal-pod-autoscaler", {
    ...deps,
    client: budget.writing(writing),
    eventTelemetry,
  });
  return { budget, reading, writing, mapper, events, eventTelemetry, discoveryMs };
}

/** The max age of a discovery result: a sync period, as upstream, within bounds. */
function discoveryMaxAge(syncPeriodMs: number): number {
  return Math.min(Math.max(syncPeriodMs, 5000), 30_000);
}

/** The same client with a shorter timeout, and a common abort signal, for single responses; streams are unchanged. */
export function withTimeout(client: KubeClient, timeoutMs: number, signal?: AbortSignal): KubeClient {
  const common = { timeoutMs, ...(signal === undefined ? {} : { signal }) };
  return {
    server: client.server,
    request: (request) => client.request({ ...common, ...request }),
    stream: (request) => client.stream(request),
    close: () => client.close(),
  };
}
