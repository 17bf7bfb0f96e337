// Closes the connections of a client when it is not used any more, and not before.
import type { PrometheusClient } from "@plimsoll/prometheus";

/** A client that requests may still have when another one takes its place. */
export interface RetiringClient {
  readonly client: PrometheusClient;
  /** Closes it as soon as none of its requests is in flight; each request that comes later closes it again. */
  retire(): void;
}

export function createRetiringClient(client: PrometheusClient): RetiringClient {
  let inFlight = 0;
  let isRetired = false;
  const closeIfUnused = (): void => {
    if (isRetired && inFlight === 0) void client.close();
  };
  const counted = async <T>(request: Promise<T>): Promise<T> => {
    inFlight += 1;
    try {
      return await request;
    } finally {
      inFlight -= 1;
      closeIfUnused();
    }
  };
  return {
    client: {
      query: (...request) => counted(client.query(...request)),
      queryRange: (...request) => counted(client.queryRange(...request)),
      series: (...request) => counted(client.series(...request)),
      labelNames: (...request) => counted(client.labelNames(...request)),
      labelValues: (...request) => counted(client.labelValues(...request)),
      close: () => client.close(),
    },
    retire() {
      isRetired = true;
      closeIfUnused();
    },
  };
}
