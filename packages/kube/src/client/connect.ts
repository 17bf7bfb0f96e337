import { type Clock, systemClock } from "@plimsoll/component-base";
import type { KubeClient } from "./client.ts";
import { createCredentialCache } from "./credentials.ts";
import { type ClusterAccess, type KubeconfigChoice, loadClusterAccess } from "./kubeconfig.ts";

/** Which cluster, and as which program. Without a kubeconfig KUBECONFIG, ~/.kube/config, or the service account of the pod. */
export interface ConnectOptions extends KubeconfigChoice {
  readonly userAgent: string;
  readonly clock?: Clock;
  /** A response, or a page of a list, that is longer is an error; 256 MiB by default. */
  readonly maxResponseBytes?: number;
  /** Whom the server is to take us for; absent: the user of the kubeconfig. */
  readonly impersonate?: Impersonation | undefined;
}

/** Whom requests are made as, if the server permits it. */
export interface Impersonation {
  readonly user: string;
  readonly groups: readonly string[];
}

/** A client, and what its requests are made with: for connections that are no requests of the API. */
export interface Connection {
  readonly client: KubeClient;
  readonly access: ClusterAccess;
}

/**
 * Loads the configuration and makes a client of it; no request is sent yet. Tokens, certificates and what
 * plugins give are renewed while it is used. Throws KubeconfigError.
 */
export async function connect(options: ConnectOptions): Promise<KubeClient> {
  return (await openConnection(options)).client;
}

/** As `connect`, with the context that was chosen. Throws KubeconfigError. */
export async function openConnection(options: ConnectOptions): Promise<Connection> {
  const { clock = systemClock, userAgent, impersonate } = options;
  const access = await loadClusterAccess({ ...options, clock });
  const [{ createAgents }, { createHttpClient }] = await Promise.all([
    import("./http/agents.ts"),
    import("./http/http-client.ts"),
  ]);
  const client = createHttpClient({
    server: access.server,
    userAgent,
    agents: createAgents(access.proxyUrl),
    credentials: createCredentialCache(access.credentials, clock),
    clock,
    maxResponseBytes: options.maxResponseBytes ?? 256 * 1024 * 1024,
    ...(impersonate === undefined ? {} : { headers: impersonationHeaders(impersonate) }),
  });
  return { client, access };
}

function impersonationHeaders({ user, groups }: Impersonation): Record<string, string | string[]> {
  return { "impersonate-user": user, ...(groups.length === 0 ? {} : { "impersonate-group": [...groups] }) };
}
