// Assembles the sandbox out of its API server, its controllers and its aggregation layer.
import { type Clock, systemClock } from "@plimsoll/component-base";
import type { ServiceRouting } from "./aggregation/resolve-service.ts";
import { startAggregation } from "./aggregation/start-aggregation.ts";
import { type ApiServerOptions, createApiParts } from "./api-parts.ts";
import { createTokenIssuer, serviceAccountUser } from "./auth/token-issuer.ts";
import { createBootstrapObjects } from "./controllers/bootstrap-objects.ts";
import { createBootstrapRoles } from "./controllers/bootstrap-roles.ts";
import { startNamespaceLifecycle } from "./controllers/namespace-lifecycle.ts";
import { startRoleAggregation } from "./controllers/role-aggregation.ts";
import { discoveryRoutes } from "./discovery/discovery-routes.ts";
import { openApiRoutes } from "./discovery/openapi-routes.ts";
import { type HttpsListener, listenHttps } from "./server/https-listener.ts";
import { createRequestHandler } from "./server/request-handler.ts";
import { type ObjectStore, timestamp, type VersionedStore } from "./storage/object-store.ts";
import { type ClusterIdentity, createClusterIdentity } from "./tls/cluster-identity.ts";
import { certificateUser, kubeconfigText } from "./tls/kubeconfig.ts";

export interface SandboxOptions extends ApiServerOptions {
  readonly clock?: Clock;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Where the backends of APIServices are reached; without it the Service objects say so. */
  readonly serviceRouting?: ServiceRouting;
}

export interface SandboxAddress {
  readonly url: string;
  readonly port: number;
  /** CA of the serving certificate and of client certificates. */
  readonly caPem: string;
  /** YAML, for an administrator with an embedded client certificate. */
  readonly kubeconfig: string;
  /** The same for anybody else, with a bearer token. */
  kubeconfigFor(user: string, groups: readonly string[]): string;
  serviceAccountToken(namespace: string, name: string): string;
}

export interface Sandbox {
  readonly store: VersionedStore;
  start(): Promise<SandboxAddress>;
  stop(): Promise<void>;
}

/** An in-memory Kubernetes API server on loopback. Nothing runs before start(). */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const { clock = systemClock } = options;
  const { context, workloads } = createApiParts({ ...options, clock });
  const { store, registry } = context;
  const tokens = createTokenIssuer();
  let listener: HttpsListener | undefined;
  let identity: ClusterIdentity | undefined;
  let port = options.port ?? 0;
  const stops: (() => void)[] = [];

  const start = async (): Promise<SandboxAddress> => {
    // A second start is the same cluster again: the same certificates, objects and port.
    if (identity === undefined) {
      identity = await createClusterIdentity(clock.nowMs());
      createBootstrapObjects(store, { registry, identity, nowText: timestamp(clock.nowMs()) });
      if (context.rbac !== undefined) createBootstrapRoles(store);
    }
    if (context.rbac !== undefined) stops.push(startRoleAggregation(context));
    const { caPem, serving, admin, frontProxy } = identity;
    const aggregation = startAggregation({ store, clock, frontProxy, routing: options.serviceRouting });
    stops.push(startNamespaceLifecycle(context, { caPem }), aggregation.stop);
    const handler = createRequestHandler({
      context,
      tokens,
      routes: {
        discovery: discoveryRoutes({
          registry,
          foreign: aggregation.groupVersions,
          serverAddress: () => `127.0.0.1:${port}`,
        }),
        openApi: openApiRoutes(registry),
      },
      proxy: aggregation.proxy,
    });
    listener = await listenHttps({ port, serving, clientCaPem: caPem, handler });
    port = listener.port;
    workloads?.start();
    return addressOf({ port, caPem, admin, tokens, store });
  };

  return {
    store,
    start,
    async stop() {
      workloads?.stop();
      for (const stop of stops.splice(0)) stop();
      await listener?.close();
      listener = undefined;
    },
  };
}

function addressOf({
  port,
  caPem,
  admin,
  tokens,
  store,
}: Pick<ClusterIdentity, "caPem" | "admin"> & {
  readonly port: number;
  readonly tokens: ReturnType<typeof createTokenIssuer>;
  readonly store: ObjectStore;
}): SandboxAddress {
  const url = `https://127.0.0.1:${port}`;
  const config = { server: url, caPem };
  return {
    url,
    port,
    caPem,
    kubeconfig: kubeconfigText({ ...config, name: "admin", user: certificateUser(admin) }),
    kubeconfigFor(user, groups) {
      const token = tokens.issue({ username: user, uid: "", groups, extra: {} });
      return kubeconfigText({ ...config, name: user, user: { token } });
    },
    serviceAccountToken(namespace, name) {
      const uid = store.get("serviceaccounts", namespace, name)?.metadata.uid;
      return tokens.issue(serviceAccountUser(namespace, name, uid));
    },
  };
}
