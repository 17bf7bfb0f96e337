// Reads discovery from aggregated API servers.
import type { Clock } from "@plimsoll/component-base";
import {
  discoveredVersion,
  discoveryMediaType,
  discoveryVersions,
} from "../discovery/aggregated-document.ts";
import type { ForeignGroupVersion } from "../discovery/discovery-routes.ts";
import type { ServedResource } from "../discovery/served-resources.ts";
import { type JsonRecord, recordsAt, stringAt } from "../storage/json-value.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { type AggregatedService, aggregatedServices } from "./api-service.ts";
import { aggregatorUser } from "./availability.ts";
import type { BackendClient, BackendResponse } from "./backend-client.ts";
import { remoteHeaders } from "./proxy.ts";
import { resolveService, type ServiceRouting } from "./resolve-service.ts";

const maxAgeMs = 60_000;
const timeoutMs = 5_000;

/** What backends say they serve, for the aggregated discovery document. */
export interface DiscoverySync {
  /** Queries the backend when its last response is older than a minute, or of another registration. */
  refresh(backend: AggregatedService): void;
  groupVersions(): readonly ForeignGroupVersion[];
}

interface Entry {
  readonly document: JsonRecord;
  readonly fetchedAtMs: number;
  readonly key: string;
}

export function createDiscoverySync(options: {
  store: ObjectStore;
  clock: Clock;
  backends: BackendClient;
  routing: ServiceRouting | undefined;
}): DiscoverySync {
  const entries = new Map<string, Entry>();
  const running = new Set<string>();

  const get = async (backend: AggregatedService, path: string, accept: string): Promise<BackendResponse> => {
    const resolution = resolveService(options.store, backend.service, options.routing);
    if (!resolution.ok) throw new Error(resolution.message);
    // Without groups, as kube-aggregator requests the plain form: the backend must add system:authenticated.
    const groups = path === "/apis" ? aggregatorUser.groups : [];
    const headers = { ...remoteHeaders({ ...aggregatorUser, groups }), accept };
    return options.backends.get({ backend, endpoint: resolution.endpoint, path, headers, timeoutMs });
  };

  const fetchDocument = async (backend: AggregatedService): Promise<JsonRecord> => {
    const accept = discoveryVersions.map(discoveryMediaType).join(",");
    const found = await get(backend, "/apis", accept);
    if (found.code === 200 && found.contentType.replaceAll(" ", "").includes("as=APIGroupDiscoveryList")) {
      return fromAggregated(JSON.parse(found.body), backend);
    }
    const plain = await get(backend, `/apis/${backend.group}/${backend.version}`, "application/json");
    if (plain.code !== 200) throw new Error(`discovery of ${backend.name} returned ${plain.code}`);
    return fromResourceList(JSON.parse(plain.body), backend);
  };

  const fetchEntry = async (backend: AggregatedService): Promise<void> => {
    if (running.has(backend.name)) return;
    running.add(backend.name);
    try {
      const document = await fetchDocument(backend);
      entries.set(backend.name, { document, fetchedAtMs: options.clock.nowMs(), key: keyOf(backend) });
    } catch {
      // The last known document stays, marked stale; availability reports why the backend fails.
      const old = entries.get(backend.name);
      const document = { ...(old?.document ?? emptyDocument(backend)), freshness: "Stale" };
      entries.set(backend.name, { document, fetchedAtMs: 0, key: keyOf(backend) });
    } finally {
      running.delete(backend.name);
    }
  };

  return {
    refresh(backend) {
      const old = entries.get(backend.name);
      const fresh = old?.key === keyOf(backend) && options.clock.nowMs() - old.fetchedAtMs < maxAgeMs;
      if (!fresh) void fetchEntry(backend);
    },
    groupVersions: () =>
      aggregatedServices(options.store).map((backend) => {
        const known = entries.get(backend.name)?.document ?? emptyDocument(backend);
        const document = backend.available ? known : { ...known, freshness: "Stale" };
        return { group: backend.group, version: backend.version, document };
      }),
  };
}

function keyOf({ service, caPem }: AggregatedService): string {
  return JSON.stringify([service, caPem]);
}

function emptyDocument(backend: AggregatedService): JsonRecord {
  return { version: backend.version, resources: [], freshness: "Stale" };
}

// A group-version that is missing from a complete response serves nothing.
function fromAggregated(body: unknown, backend: AggregatedService): JsonRecord {
  const group = recordsAt(body, "items").find((one) => stringAt(one, "metadata", "name") === backend.group);
  const version = recordsAt(group, "versions").find((one) => one["version"] === backend.version);
  return version ?? { version: backend.version, resources: [], freshness: "Current" };
}

function fromResourceList(body: unknown, backend: AggregatedService): JsonRecord {
  const resources = recordsAt(body, "resources") as unknown as readonly ServedResource[];
  return discoveredVersion({ group: backend.group, version: backend.version, resources });
}
