// The adapter, assembled from its parts.
import { type CacheMeter, type Clock, type Logger, sleep } from "@plimsoll/component-base";
import type { Federation } from "@plimsoll/federation";
import { type KubeClient, reviewAccess, reviewToken } from "@plimsoll/kube";
import {
  type AuthenticationSource,
  type Authenticator,
  type Authorizer,
  type CertificateStore,
  createAuthenticationSource,
  createAuthenticator,
  createAuthorizer,
  createPathMatcher,
  createServingCertificate,
  createTokenAuthenticator,
  isIdentityHeader,
  type ReadText,
  type ServingCertificate,
  type ServingMaterial,
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
import { createListener, defaultLimits } from "../http/listener.ts";
import { createRouter } from "../http/routes.ts";
import { createInFlightLimiter } from "../http/stages/in-flight-limits.ts";
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

const filePollMs = 10_000;
const reviewTimeoutMs = 10_000;
const maxTokens = 8192;
/** Those of 10,000 autoscalers with four metrics each, in as many namespaces: 560 bytes each, and space for others. */
const accessDecisions = { maxEntries: 65_536, maxBytes: 32 * 1024 * 1024 };

/** Composition root of the process. Nothing runs before start. */
export function createAdapter(options: ServerOptions, deps: AdapterDeps): Adapter {
  const { serving, authentication } = options;
  const { engine, clock, log, rulesFile, sourcesFile, meter, federation } = deps;
  let isDraining = false;

  // Discovery and health are cheap; their limit only guards against an attack with them.
  const limiter = createInFlightLimiter({
    system: 4096,
    metrics: serving.maxRequestsInFlight,
    federated: serving.maxRequestsInFlight,
  });
  const telemetry = createTelemetry({ registry: deps.registry, inFlight: () => limiter.inFlight });
  const source = createSource(options, deps, telemetry);
  const certificate = createCertificate(options, deps, telemetry);
  const readiness = createReadiness({
    engine,
    rulesNote: () => rulesFile?.note(),
    sourcesNote: sourcesFile?.note,
    backendsNote: federation?.note,
    authenticationProblem: () => (authentication.toleratesLookupFailure ? undefined : source.problem()),
    certificateExpiresAtMs: () => certificate.current().main.notAfterMs,
    isDraining: () => isDraining,
    nowMs: () => clock.nowMs(),
  });
  const groupVersions = perProviders(engine, (providers) => servedGroupVersions(providers, federation));
  const listener = createListener({ ...serving, limits: defaultLimits, clock, log });
  const stages = createStages({
    authenticator: createCallerAuthenticator(options, deps, source),
    authorizer: createCallerAuthorizer(options, deps),
    isAlwaysAllowed: createPathMatcher(options.authorization.alwaysAllowPaths),
    isIdentityHeader: (name) => isIdentityHeader(source.current(), name),
    onIdentified: (socket) => listener.keep(socket),
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
    log,
    telemetry,
  });
  const handler = createRequestHandler({
    handle: stages,
    isDraining: () => isDraining,
    clock,
    log,
    telemetry,
  });
  const useCertificate = (material: ServingMaterial): void => {
    telemetry.certificateExpires(material.main.notAfterMs);
    listener.update(material);
  };

  return {
    start: async () => {
      const material = await certificate.start();
      await source.start();
      const bound = await listener.start(material, handler);
      certificate.subscribe(useCertificate);
      useCertificate(certificate.current());
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
      await listener.close(drainMs);
      federation?.stop();
      await Promise.allSettled([engine.stop(), source.stop()]);
      certificate.stop();
      log.info({}, "stopped");
    },
  };
}

function createSource(
  { authentication }: ServerOptions,
  { authenticationClient, readText, clock, log }: AdapterDeps,
  telemetry: Telemetry,
): AuthenticationSource {
  return createAuthenticationSource({
    files: authentication.files,
    client: authentication.looksUpConfigMap ? authenticationClient : undefined,
    readText,
    pollIntervalMs: filePollMs,
    clock,
    log,
    onReload: (outcome) => telemetry.reloaded("authentication", outcome),
  });
}

function createCertificate(
  { serving }: ServerOptions,
  { certificateStore, hostname, readText, clock, log }: AdapterDeps,
  telemetry: Telemetry,
): ServingCertificate {
  // A certificate that replicas share cannot have the names of each.
  const ownNames = serving.certSecret === undefined ? [hostname] : [];
  return createServingCertificate({
    files: serving.files,
    sniFiles: serving.sniFiles,
    store: certificateStore,
    hosts: [...new Set(["localhost", "127.0.0.1", "::1", ...ownNames, ...serving.selfSignedHosts])],
    readText,
    pollIntervalMs: filePollMs,
    clock,
    log,
    onReload: (outcome) => telemetry.reloaded("serving-certificate", outcome),
  });
}

function createCallerAuthenticator(
  { authentication }: ServerOptions,
  { authenticationClient, clock, meter }: AdapterDeps,
  source: AuthenticationSource,
): Authenticator {
  const tokens = createTokenAuthenticator({
    review: (token, signal) => reviewToken(authenticationClient, token, signal),
    clock,
    ttlMs: authentication.tokenTtlMs,
    timeoutMs: reviewTimeoutMs,
    maxEntries: maxTokens,
    maxInFlight: 64,
    meter,
  });
  return createAuthenticator({ config: source.current, tokens, nowMs: () => clock.nowMs(), meter });
}

function createCallerAuthorizer(
  { authorization }: ServerOptions,
  { authorizationClient, clock, meter }: AdapterDeps,
): Authorizer<RequestInfo> {
  return createAuthorizer({
    specOf: accessReview,
    keyOf: accessKey,
    wildcardKeyOf: wildcardKey,
    review: (spec, signal) => reviewAccess(authorizationClient, spec, signal),
    meter,
    clock,
    allowedTtlMs: authorization.allowedTtlMs,
    deniedTtlMs: authorization.deniedTtlMs,
    timeoutMs: reviewTimeoutMs,
    ...accessDecisions,
  });
}
