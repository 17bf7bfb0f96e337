import { type Clock, systemClock } from "@plimsoll/component-base";
import type { KubeClient } from "./client.ts";
import { createCredentialCache } from "./credentials.ts";
import { loadClusterAccess } from "./kubeconfig.ts";

/** Which cluster, and as which program. */
export interface ConnectOptions {
  /** Path of a kubeconfig; without it KUBECONFIG, ~/.kube/config, or the service account of the pod. */
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly userAgent: string;
  readonly clock?: Clock;
  /** A response, or a page of a list, that is longer is an error; 256 MiB by default. */
  readonly maxResponseBytes?: number;
}

/**
 * Loads the configuration and makes a client of it; no request is sent yet. Tokens, certificates and what
 * plugins give are renewed while it is used. Throws KubeconfigError.
 */
export async function connect(options: ConnectOptions): Promise<KubeClient> {
  const { clock = systemClock, context, kubeconfig, userAgent } = options;
  const access = await loadClusterAccess({ kubeconfig, context, clock });
  const [{ createAgents }, { createHttpClient }] = await Promise.all([
    import("./http/agents.ts"),
    import("./http/http-client.ts"),
  ]);
  return createHttpClient({
    server: access.server,
    userAgent,
    agents: createAgents(access.proxyUrl),
    credentials: createCredentialCache(access.credentials, clock),
    clock,
    maxResponseBytes: options.maxResponseBytes ?? 256 * 1024 * 1024,
  });
}
