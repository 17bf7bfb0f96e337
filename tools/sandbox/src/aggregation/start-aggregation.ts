// Assembles the aggregation layer.
import type { Clock } from "@plimsoll/component-base";
import type { ForeignGroupVersion } from "../discovery/discovery-routes.ts";
import type { ProxyRequest } from "../server/request-handler.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { KeyPair } from "../tls/certificate-authority.ts";
import { startAvailability } from "./availability.ts";
import { createBackendClient } from "./backend-client.ts";
import { createDiscoverySync } from "./discovery-sync.ts";
import { createProxy } from "./proxy.ts";
import type { ServiceRouting } from "./resolve-service.ts";

export interface Aggregation {
  readonly proxy: ProxyRequest;
  readonly groupVersions: () => readonly ForeignGroupVersion[];
  readonly stop: () => void;
}

/** The aggregation layer: availability checks, discovery of backends, and the proxy to them. */
export function startAggregation(options: {
  store: ObjectStore;
  clock: Clock;
  frontProxy: KeyPair;
  routing: ServiceRouting | undefined;
}): Aggregation {
  const { store, clock, routing } = options;
  const backends = createBackendClient(options.frontProxy);
  const shared = { store, clock, backends, routing };
  const discovery = createDiscoverySync(shared);
  const stopChecks = startAvailability({ ...shared, onAvailable: (backend) => discovery.refresh(backend) });
  return {
    proxy: createProxy(shared),
    groupVersions: () => discovery.groupVersions(),
    stop() {
      stopChecks();
      backends.close();
    },
  };
}
