// Keeps the Available condition of APIServices, as kube-aggregator does.
import { backoffMs, type Clock, messageOf } from "@plimsoll/component-base";
import { thaw } from "../storage/api-object.ts";
import { type JsonRecord, recordsAt } from "../storage/json-value.ts";
import { type ObjectStore, timestamp } from "../storage/object-store.ts";
import { type AggregatedService, aggregatedServices, apiServiceStorage } from "./api-service.ts";
import type { BackendClient } from "./backend-client.ts";
import { remoteHeaders } from "./proxy.ts";
import { resolveService, type ServiceRouting } from "./resolve-service.ts";

const resyncMs = 30_000;
const probeTimeoutMs = 5_000;
const parallelProbes = 5;
const retry = { baseMs: 50, maxMs: 5_000 };

export const aggregatorUser = {
  username: "system:kube-aggregator",
  groups: ["system:masters"],
  extra: {},
};

export interface AvailabilityInput {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly backends: BackendClient;
  readonly routing: ServiceRouting | undefined;
  /** Called after each check that passed. */
  readonly onAvailable: (backend: AggregatedService) => void;
}

interface Check {
  failures: number;
  running: boolean;
  again: boolean;
  cancel: () => void;
}

const watched = new Set([apiServiceStorage, "services", "endpoints", "endpointslices.discovery.k8s.io"]);

/**
 * Keeps the Available condition of every aggregated APIService: at each change of what it depends on, every
 * 30 s, and sooner after a failure.
 */
export function startAvailability(input: AvailabilityInput): () => void {
  const checks = new Map<string, Check>();
  let stopped = false;

  const schedule = (name: string, delayMs: number): void => {
    const check = checks.get(name);
    if (check === undefined || stopped) return;
    check.cancel();
    check.cancel = input.clock.after(delayMs, () => void run(name));
  };

  const run = async (name: string): Promise<void> => {
    const check = checks.get(name);
    const backend = aggregatedServices(input.store).find((one) => one.name === name);
    if (check === undefined || stopped) return;
    if (backend === undefined) {
      check.cancel();
      checks.delete(name);
      return;
    }
    check.running = true;
    const result = await probe(input, backend);
    check.running = false;
    if (stopped) return;
    writeCondition(input, name, result);
    check.failures = result.available ? 0 : check.failures + 1;
    if (result.available) input.onAvailable(backend);
    const delayMs = result.available ? resyncMs : backoffMs(check.failures, retry);
    schedule(name, check.again ? 0 : delayMs);
    check.again = false;
  };

  // While a check runs, its end would put a later timer in the place of this one.
  const look = (): void => {
    for (const { name } of aggregatedServices(input.store)) {
      const check = checks.get(name) ?? { failures: 0, running: false, again: false, cancel: () => {} };
      checks.set(name, check);
      if (check.running) check.again = true;
      else schedule(name, 0);
    }
  };

  const unsubscribe = input.store.subscribe((event) => {
    const ownWrite = event.resource === apiServiceStorage && onlyStatusChanged(event);
    if (watched.has(event.resource) && !ownWrite) look();
  });
  look();
  return () => {
    stopped = true;
    unsubscribe();
    for (const check of checks.values()) check.cancel();
  };
}

interface Availability {
  readonly available: boolean;
  readonly reason: string;
  readonly message: string;
}

async function probe(input: AvailabilityInput, backend: AggregatedService): Promise<Availability> {
  const resolution = resolveService(input.store, backend.service, input.routing);
  if (!resolution.ok) return { available: false, reason: resolution.reason, message: resolution.message };
  const { endpoint } = resolution;
  const path = `/apis/${backend.group}/${backend.version}`;
  const url = `https://${endpoint.host}:${endpoint.port}${path}`;
  const attempts = Array.from({ length: parallelProbes }, async () => {
    const response = await input.backends.get({
      backend,
      endpoint,
      path,
      headers: { ...remoteHeaders(aggregatorUser), "user-agent": "Go-http-client/1.1" },
      timeoutMs: probeTimeoutMs,
    });
    if (response.code < 200 || response.code > 299)
      throw new Error(`bad status from ${url}: ${response.code}`);
  });
  try {
    await Promise.any(attempts);
    return { available: true, reason: "Passed", message: "all checks passed" };
  } catch (error) {
    const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
    const why = messageOf(first);
    const message = `failing or missing response from ${url}: ${why}`;
    return { available: false, reason: "FailedDiscoveryCheck", message };
  }
}

function writeCondition({ store, clock }: AvailabilityInput, name: string, result: Availability): void {
  const current = store.get(apiServiceStorage, undefined, name);
  if (current === undefined) return;
  const next = thaw(current);
  const conditions = recordsAt(next, "status", "conditions");
  const old = conditions.find((one) => one["type"] === "Available");
  const status = result.available ? "True" : "False";
  const condition: JsonRecord = {
    type: "Available",
    status,
    lastTransitionTime: old?.["status"] === status ? old["lastTransitionTime"] : timestamp(clock.nowMs()),
    reason: result.reason,
    message: result.message,
  };
  next.status = { conditions: [...conditions.filter((one) => one !== old), condition] };
  store.update(apiServiceStorage, next);
}

function onlyStatusChanged(event: {
  readonly type: string;
  readonly object: { metadata: { generation?: number } };
  readonly previous?: { metadata: { generation?: number } };
}): boolean {
  return (
    event.type === "MODIFIED" && event.object.metadata.generation === event.previous?.metadata.generation
  );
}
