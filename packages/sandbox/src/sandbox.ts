import { type Clock, systemClock } from "@plimsoll/kube";
import type { ServiceRouting } from "./aggregation/resolve-service.ts";
import { startAggregation } from "./aggregation/start-aggregation.ts";
import { type AuthorizeHook, createAuthorizer } from "./auth/authorize.ts";
import { createTokenIssuer, serviceAccountUser } from "./auth/token-issuer.ts";
import { createBootstrapObjects } from "./controllers/bootstrap-objects.ts";
import { startNamespaceLifecycle } from "./controllers/namespace-lifecycle.ts";
import { discoveryRoutes } from "./discovery/discovery-routes.ts";
import { openApiRoutes } from "./discovery/openapi-routes.ts";
import { createResourceRegistry } from "./resources/registry.ts";
import type { ApiContext } from "./rest/api-context.ts";
import { type HttpsListener, listenHttps } from "./server/https-listener.ts";
import { createRequestHandler } from "./server/request-handler.ts";
import { createObjectStore, timestamp, type VersionedStore } from "./storage/object-store.ts";
import { createCertificateAuthority } from "./tls/certificate-authority.ts";
import { certificateUser, kubeconfigText, tokenUser } from "./tls/kubeconfig.ts";
import { createWorkloads, type WorkloadOptions } from "./workloads/index.ts";

export interface SandboxOptions {
  readonly clock?: Clock;
  /** 0, the default, takes a free one. */
  readonly port?: number;
  /** Says no to a request, or leaves it to the default, which allows everything to known users. */
  readonly authorize?: AuthorizeHook;
  /** The simulated controllers and kubelets; `false` leaves a bare API server. */
  readonly workloads?: WorkloadOptions | false;
  /** Where the backends of APIServices are reached; without it the Service objects say so. */
  readonly serviceRouting?: ServiceRouting;
  /** How many changes a watch can resume across. */
  readonly historyLimit?: number;
  readonly bookmarkIntervalMs?: number;
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

const frontProxyName = "front-proxy-client";

/** An in-memory Kubernetes API server on loopback. Nothing runs before start(). */
export function createSandbox(o: SandboxOptions = {}): Sandbox {
  const clock = o.clock ?? systemClock;
  const store = createObjectStore({
    clock,
    ...(o.historyLimit === undefined ? {} : { historyLimit: o.historyLimit }),
  });
  const registry = createResourceRegistry(store);
  const tokens = createTokenIssuer();
  const workloads = o.workloads === false ? undefined : createWorkloads({ store, clock, ...o.workloads });
  let sequenceNumber = 1;
  const context: ApiContext = {
    store,
    registry,
    clock,
    authorize: createAuthorizer(o.authorize),
    sequence: () => (sequenceNumber += 1),
    controllersRun: workloads !== undefined,
    bookmarkIntervalMs: o.bookmarkIntervalMs ?? 60_000,
  };
  let listener: HttpsListener | undefined;
  const stops: (() => void)[] = [];

  const start = async (): Promise<SandboxAddress> => {
    const nowMs = clock.nowMs();
    const [clusterCa, frontProxyCa] = await Promise.all([
      createCertificateAuthority("plimsoll-sandbox-ca", nowMs),
      createCertificateAuthority("plimsoll-sandbox-front-proxy-ca", nowMs),
    ]);
    const [serving, admin] = await Promise.all([
      clusterCa.issueServer("kube-apiserver", {
        dns: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
        ips: ["127.0.0.1"],
      }),
      clusterCa.issueClient("admin", ["system:masters"]),
    ]);
    createBootstrapObjects(store, {
      registry,
      clusterCaPem: clusterCa.certPem,
      frontProxyCaPem: frontProxyCa.certPem,
      frontProxyName,
      nowText: timestamp(nowMs),
    });
    stops.push(startNamespaceLifecycle(context, { caPem: clusterCa.certPem }));
    const frontProxy = await frontProxyCa.issueClient(frontProxyName, []);
    const aggregation = startAggregation({ store, clock, frontProxy, routing: o.serviceRouting });
    stops.push(aggregation.stop);
    const handler = createRequestHandler({
      context,
      tokens,
      routes: {
        discovery: discoveryRoutes({
          registry,
          foreign: aggregation.groupVersions,
          serverAddress: () => `127.0.0.1:${listener?.port ?? 0}`,
        }),
        openApi: openApiRoutes(registry),
      },
      proxy: aggregation.proxy,
    });
    listener = await listenHttps({ port: o.port ?? 0, serving, clientCaPem: clusterCa.certPem, handler });
    workloads?.start();
    const { port } = listener;
    const url = `https://127.0.0.1:${port}`;
    const config = { server: url, caPem: clusterCa.certPem };
    return {
      url,
      port,
      caPem: clusterCa.certPem,
      kubeconfig: kubeconfigText({ ...config, user: "admin", credentials: certificateUser(admin) }),
      kubeconfigFor(user, groups) {
        const token = tokens.issue({ username: user, uid: "", groups, extra: {} });
        return kubeconfigText({ ...config, user, credentials: tokenUser(token) });
      },
      serviceAccountToken(namespace, name) {
        const uid = store.get("serviceaccounts", namespace, name)?.metadata.uid;
        return tokens.issue(serviceAccountUser(namespace, name, uid));
      },
    };
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
