// Clients of servers beside the API server, with the identity of a kubeconfig's user.
import type { Clock } from "@plimsoll/component-base";
import { ConnectionError } from "./api-error.ts";
import type { KubeClient } from "./client.ts";
import { type CredentialSource, createCredentialCache } from "./credentials.ts";
import type { PodPort } from "./forward/forward-port.ts";
import {
  type EndpointIdentity,
  endpointCredentials,
  type IdentityRules,
  identityOf,
} from "./forward/identity.ts";
import type { Agents } from "./http/agents.ts";
import type { ClusterAccess } from "./kubeconfig.ts";

export interface EndpointOptions extends IdentityRules {
  readonly userAgent: string;
  readonly clock: Clock;
}

/** A pod that serves HTTPS with a certificate that is known by its fingerprint. */
export interface PinnedPod extends PodPort {
  /** Of the certificate's DER form, in hexadecimal digits. */
  readonly sha256: string;
}

const maxResponseBytes = 256 * 1024 * 1024;
const connectTimeoutMs = 10_000;

/** What of the user's credentials may be sent. Throws what a plugin or a file throws. */
export async function endpointIdentity(
  { credentials }: Pick<ClusterAccess, "credentials">,
  rules: IdentityRules,
): Promise<EndpointIdentity> {
  return identityOf(await credentials.read(), rules);
}

/**
 * A client of a pod behind a forwarded port. No request and no credential is sent to a server that does not show the
 * pinned certificate.
 */
export async function openPinnedClient(
  access: ClusterAccess,
  pod: PinnedPod,
  options: EndpointOptions,
): Promise<KubeClient> {
  const { forwardPort } = access;
  if (forwardPort === undefined) throw new ConnectionError("other", "ports cannot be forwarded here");
  const { createPinnedAgents } = await import("./forward/pinned-agents.ts");
  const { namespace, pod: name, port, sha256 } = pod;
  const agents = createPinnedAgents({
    open: (signal) => forwardPort({ namespace, pod: name, port }, signal),
    sha256,
    clock: options.clock,
    timeoutMs: connectTimeoutMs,
    what: `pod ${namespace}/${name}`,
  });
  // The name is used in no lookup.
  return clientOf(`https://${name}:${port}`, { access, agents, options });
}

/** A client of a server whose certificate is verified for the host of its address. */
export async function openServerClient(
  access: ClusterAccess,
  server: {
    readonly url: string /** In PEM; undefined: those of the system. */;
    readonly ca: string | undefined;
  },
  options: EndpointOptions,
): Promise<KubeClient> {
  const { createAgents } = await import("./http/agents.ts");
  const agents = createAgents(undefined);
  const { ca } = server;
  return clientOf(server.url, {
    access,
    agents: {
      for: (tls) => agents.for(ca === undefined ? tls : { ...tls, ca }),
      close: () => agents.close(),
    },
    options,
  });
}

async function clientOf(
  server: string,
  {
    access,
    agents,
    options,
  }: {
    readonly access: { readonly credentials: CredentialSource };
    readonly agents: Agents;
    readonly options: EndpointOptions;
  },
): Promise<KubeClient> {
  const { createHttpClient } = await import("./http/http-client.ts");
  const { userAgent, clock } = options;
  const credentials = createCredentialCache(endpointCredentials(access.credentials, options), clock);
  return createHttpClient({ server, userAgent, agents, credentials, clock, maxResponseBytes });
}
