// The adapter, assembled from its parts.
import { type CacheMeter, type Clock, type Logger, sleep } from "@plimsoll/component-base";
import type { Federation } from "@plimsoll/federation";
import type { KubeClient } from "@plimsoll/kube";
import {
  type CertificateStore,
  createInFlightLimiter,
  createPathMatcher,
  createSecureServer,
  type ReadText,
  requestLimits,
  type SecureServer,
} from "@plimsoll/kube/serving";
import type { Registry } from "prom-client";
import { perProviders } from "../api/discovery/per-providers.ts";
import { servedGroupVersions } from "../api/discovery/resources.ts";
import { createOpenApi } from "../api/openapi/documents.ts";
import type { RequestInfo } from "../api/request-info.ts";
import { accessKey, accessReview, wildcardKey } from "../auth/authorize.ts";
import type { Engine } from "../backends/prometheus/engine.ts";
import { createEndpoints } from "../http/endpoints/endpoints.ts";
import { createReadiness } from "../http/endpoints/readiness.ts";
import type { BuildInfo } from "../http/endpoints/version.ts";
import { createRequestHandler } from "../http/handler.ts";
import { createRouter } from "../http/routes.ts";
import { createStages } from "../http/stages/stages.ts";
import type { AdapterOptions } from "../options/compile.ts";
import { createTelemetry, type Telemetry } from "../telemetry/http.ts";
import { followFiles } from "./config-files.ts";
import type { RulesFile } from "./rules-file.ts";
import { drainMs } from "./shutdown-times.ts";
import type { SourcesFile } from "./sources-file.ts";

export interface AdapterDeps {
  readonly engine: Engine;
  /** Other adapters, started; absent: no request is handed on. */
  readonly federation?: Federation | undefined;
  /** Absent: the rules never change. */
  readonly rulesFile?: RulesFile;
  /** Absent: the sources never change. */
  readonly sourcesFile?: SourcesFile;
  readonly authenticationClient: KubeClient;
  readonly authorizationClient: KubeClient;
  /** Served at /metrics; the engine's metrics belong in it too. */
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Logger;
  readonly readText: ReadText;
  readonly certificateStore: CertificateStore;
  readonly hostname: string;
  readonly build: BuildInfo;
  /** Watches the caches. */
  readonly meter?: CacheMeter | undefined;
}

export interface Adapter {
  /** Resolves when connections are accepted. @throws when the port or the certificates cannot be used. */
  start(): Promise<{ readonly address: string; readonly port: number }>;
  /** Becomes unready, lets requests finish, and releases everything. */
  stop(): Promise<void>;
}

export type ServerOptions = Pick<AdapterOptions, "serving" | "authentication" | "authorization">;

/** How long an idle connection may still send a request, once no new ones are accepted. */
const idleMs = 3_000;

/** Composition root of the process. Nothing runs before start. */
export function createAdapter(options: ServerOptions, deps: AdapterDeps): Adapter {
  const { serving, authentication } = options;
  const { engine, clock, log, rulesFile, sourcesFile, meter, federation } = deps;
  let isDraining = false;

  const limiter = createInFlightLimiter({
    system: requestLimits.systemInFlight,
    metrics: serving.maxRequestsInFlight,
    federated: serving.maxRequestsInFlight,
  });
  const telemetry = createTelemetry({ registry: deps.registry, inFlight: () => limiter.inFlight });
  const server = createServer(options, deps, telemetry);
  const readiness = createReadiness({
    engine,
    rulesNote: () => rulesFile?.note(),
    sourcesNote: sourcesFile?.note,
    backendsNote: federation?.note,
    authenticationProblem: () => (authentication.toleratesLookupFailure ? undefined : server.problem()),
    certificateExpiresAtMs: () => server.current().main.notAfterMs,
    isDraining: () => isDraining,
    nowMs: () => clock.nowMs(),
  });
  const groupVersions = perProviders(engine, (providers) => servedGroupVersions(providers, federation));
  const stages = createStages({
    server,
    isAlwaysAllowed: createPathMatcher(options.authorization.alwaysAllowPaths),
    isDraining: () => isDraining,
    router: createRouter({ engine, federation, nowMs: () => clock.nowMs(), meter }),
    endpoints: createEndpoints({
      health: readiness.checks,
      registry: deps.registry,
      build: deps.build,
      log,
      openApi: perProviders(engine, () => createOpenApi(groupVersions(), deps.build.version)),
      groupVersions,
    }),
    limiter,
    meter,
    clock,
    telemetry,
  });
  const handler = createRequestHandler({ handle: stages, clock, log, telemetry });

  return {
    start: async () => {
      const bound = await server.start(handler);
      engine.start().catch((error: unknown) => {
        log.error({ err: error }, "engine failed to start");
        readiness.engineFailed(error);
      });
      followFiles(deps, engine, telemetry.reloaded);
      log.info(bound, "serving");
      return bound;
    },
    stop: async () => {
      isDraining = true;
      rulesFile?.stop();
      sourcesFile?.stop();
      const delayMs = serving.shutdownDelayMs ?? 0;
      log.info({ delayMs }, "draining");
      await sleep(clock, delayMs);
      await server.close({ idleMs, graceMs: drainMs });
      federation?.stop();
      await Promise.allSettled([engine.stop()]);
      log.info({}, "stopped");
    },
  };
}

function createServer(
  { serving, authentication, authorization }: ServerOptions,
  deps: AdapterDeps,
  telemetry: Telemetry,
): SecureServer<RequestInfo> {
  // A certificate that replicas share cannot have the names of each.
  const ownNames = serving.certSecret === undefined ? [deps.hostname] : [];
  return createSecureServer<RequestInfo>({
    ...deps,
    ...serving,
    certificate: {
      files: serving.files,
      sniFiles: serving.sniFiles,
      store: deps.certificateStore,
      hosts: [...ownNames, ...serving.selfSignedHosts],
    },
    authentication: { ...authentication, client: deps.authenticationClient },
    authorization: {
      ...authorization,
      client: deps.authorizationClient,
      specOf: accessReview,
      keyOf: accessKey,
      wildcardKeyOf: wildcardKey,
    },
    onCertificate: ({ main }) => telemetry.certificateExpires(main.notAfterMs),
    onReload: (what, outcome) => telemetry.reloaded(what, outcome),
  });
}
