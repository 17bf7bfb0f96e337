import type { KubeClient } from "./client.ts";
import { type Clock, systemClock } from "./clock.ts";
import { createCredentialCache } from "./connect/credentials.ts";
import { loadClusterAccess } from "./connect/kubeconfig.ts";

export interface ConnectOptions {
  /** Path of a kubeconfig; without it KUBECONFIG, ~/.kube/config, or the service account of the pod. */
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly userAgent: string;
  readonly clock?: Clock;
  /** An answer, or a page of a list, that is longer is an error; 256 MiB by default. */
  readonly maxResponseBytes?: number;
}

/**
 * Loads the configuration and makes a client of it; the server is not asked yet. Tokens, certificates and what
 * plugins give are renewed while it is used. Throws KubeconfigError.
 */
export async function connect(o: ConnectOptions): Promise<KubeClient> {
  const clock = o.clock ?? systemClock;
  const access = await loadClusterAccess({ kubeconfig: o.kubeconfig, context: o.context, clock });
  const [{ createAgents }, { createHttpClient }] = await Promise.all([
    import("./http/agents.ts"),
    import("./http/http-client.ts"),
  ]);
  return createHttpClient({
    server: access.server,
    userAgent: o.userAgent,
    agents: createAgents({ proxyUrl: access.proxyUrl }),
    credentials: createCredentialCache(access.credentials, clock),
    clock,
    maxResponseBytes: o.maxResponseBytes ?? 256 * 1024 * 1024,
  });
}
