import type { Clock, KubeClient } from "@plimsoll/kube";
import {
  accessReviewer,
  type CertificateStore,
  createAuthorizer,
  createPathMatcher,
  createServingCertificate,
  createTokenAuthenticator,
  type ReadText,
  type ServingMaterial,
  tokenReviewer,
} from "@plimsoll/kube/serving";
import type { Registry } from "prom-client";
import { createAuthenticator } from "./auth/authenticate.ts";
import { createAuthenticationSource } from "./auth/authentication-source.ts";
import { accessKey, accessQuestion } from "./auth/authorize.ts";
import { isIdentityHeader } from "./auth/identity-headers.ts";
import type { RulesFile } from "./config/rules-file.ts";
import { servedGroupVersions } from "./discovery/resources.ts";
import { perProviders } from "./discovery/served.ts";
import type { Logger } from "./logger.ts";
import type { AdapterOptions } from "./options/compile.ts";
import type { Engine } from "./provider/provider.ts";
import { createRequestHandler } from "./server/handler.ts";
import { createLanes } from "./server/lanes.ts";
import { createListener, defaultLimits } from "./server/listener.ts";
import { createOpenApi } from "./server/openapi/documents.ts";
import { createReadiness } from "./server/readiness.ts";
import { createRouter } from "./server/routes.ts";
import { createSmallEndpoints } from "./server/small-endpoints.ts";
import type { BuildInfo } from "./server/version.ts";
import { createTelemetry } from "./telemetry.ts";

export interface AdapterDeps {
  readonly engine: Engine;
  /** Absent: the rules never change. */
  readonly rulesFile?: RulesFile;
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
const drainMs = 30_000;
const maxDecisions = 8192;

/** Composition root of the process. Nothing runs before start. */
export function createAdapter(options: ServerOptions, deps: AdapterDeps): Adapter {
  const { serving, authentication, authorization } = options;
  const { engine, clock, log, readText } = deps;
  let isDraining = false;

  // Discovery and health are cheap; their limit only guards against an attack with them.
  const lanes = createLanes({ priority: 4096, normal: serving.maxRequestsInFlight });
  const telemetry = createTelemetry({ registry: deps.registry, inFlight: () => lanes.inFlight });
  const source = createAuthenticationSource({
    files: authentication.files,
    client: authentication.looksUpConfigMap ? deps.authenticationClient : undefined,
    readText,
    pollIntervalMs: filePollMs,
    clock,
    log,
    onReload: (outcome) => telemetry.reloaded("authentication", outcome),
  });
  // What replicas share cannot be good for the names of each.
  const ownNames = serving.certSecret === undefined ? [deps.hostname] : [];
  const certificate = createServingCertificate({
    files: serving.files,
    sniFiles: serving.sniFiles,
    store: deps.certificateStore,
    hosts: [...new Set(["localhost", "127.0.0.1", "::1", ...ownNames, ...serving.selfSignedHosts])],
    readText,
    pollIntervalMs: filePollMs,
    clock,
    log,
    onReload: (outcome) => telemetry.reloaded("serving-certificate", outcome),
  });
  const readiness = createReadiness({
    engine,
    rulesNote: () => deps.rulesFile?.note(),
    authenticationProblem: () => (authentication.toleratesLookupFailure ? undefined : source.problem()),
    certificateExpiresAtMs: () => certificate.current().main.notAfterMs,
    isDraining: () => isDraining,
    nowMs: () => clock.nowMs(),
  });
  const groupVersions = perProviders(engine, servedGroupVersions);
  const listener = createListener({
    address: serving.address,
    port: serving.port,
    minVersion: serving.minVersion,
    ciphers: serving.ciphers,
    isPortShared: serving.isPortShared,
    limits: defaultLimits,
    clock,
    log,
    handler: createRequestHandler({
      authenticator: createAuthenticator({
        config: source.current,
        tokens: createTokenAuthenticator({
          review: tokenReviewer(deps.authenticationClient),
          clock,
          ttlMs: authentication.tokenTtlMs,
          timeoutMs: reviewTimeoutMs,
          maxEntries: maxDecisions,
          maxInFlight: 64,
        }),
        nowMs: () => clock.nowMs(),
      }),
      authorizer: createAuthorizer({
        question: accessQuestion,
        keyOf: accessKey,
        review: accessReviewer(deps.authorizationClient),
        clock,
        allowedTtlMs: authorization.allowedTtlMs,
        deniedTtlMs: authorization.deniedTtlMs,
        timeoutMs: reviewTimeoutMs,
        maxEntries: maxDecisions,
      }),
      isAlwaysAllowed: createPathMatcher(authorization.alwaysAllowPaths),
      isIdentityHeader: (name) => isIdentityHeader(source.current(), name),
      router: createRouter({ engine, nowMs: () => clock.nowMs() }),
      smallEndpoints: createSmallEndpoints({
        health: readiness.checks,
        registry: deps.registry,
        build: deps.build,
        log,
        openApi: perProviders(engine, () => createOpenApi(groupVersions(), deps.build.version)),
        groupVersions,
      }),
      lanes,
      isDraining: () => isDraining,
      clock,
      log,
      telemetry,
    }),
  });

  const update = (material: ServingMaterial): void => {
    telemetry.certificateExpires(material.main.notAfterMs);
    listener.update(material);
  };

  return {
    start: async () => {
      const material = await certificate.start();
      await source.start();
      const bound = await listener.start(material);
      certificate.subscribe(update);
      update(certificate.current());
      engine.start().catch((error: unknown) => {
        log.error({ err: error }, "engine failed to start");
        readiness.engineFailed(error);
      });
      deps.rulesFile?.watch({
        use: (rules) => engine.useRules(rules),
        onReload: (outcome) => telemetry.reloaded("rules", outcome),
      });
      log.info(bound, "serving");
      return bound;
    },
    stop: async () => {
      isDraining = true;
      deps.rulesFile?.stop();
      log.info({ delayMs: serving.shutdownDelayMs ?? 0 }, "draining");
      await new Promise<void>((resolve) => {
        clock.after(serving.shutdownDelayMs ?? 0, resolve);
      });
      await listener.close(drainMs);
      await Promise.allSettled([engine.stop(), source.stop()]);
      certificate.stop();
      log.info({}, "stopped");
    },
  };
}
