// What the process serves, and on which ports.
import { readFile } from "node:fs/promises";
import type { Clock, Logger } from "@plimsoll/component-base";
import type { KubeClient } from "@plimsoll/kube";
import { createPathMatcher, createServingCertificate, noStore, type ReadText } from "@plimsoll/kube/serving";
import { closedGuard, createGuard, type Guard, openGuard } from "./guard.ts";
import { createRoutes, type Served } from "./routes.ts";
import {
  type BoundAddress,
  createHttpServer,
  createHttpsServer,
  type HttpServer,
  type Listen,
} from "./server.ts";

export interface ServingConfig {
  readonly bindAddress: string;
  /** Plain HTTP. */
  readonly port: number;
  /** Decisions over plain HTTP, for whoever can reach the port. */
  readonly hasInsecureDecisions: boolean;
  /** Undefined: no HTTPS. */
  readonly secure: SecureConfig | undefined;
}

export interface SecureConfig {
  readonly port: number;
  /** Undefined: a certificate of our own. */
  readonly files: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly selfSignedHosts: readonly string[];
  /** Paths that need no token; everything below where one ends in "*". */
  readonly openPaths: readonly string[];
}

export interface ServingAddress extends BoundAddress {
  readonly securePort?: number;
}

export interface ServingDeps extends Served {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Reads certificate files; from the disk when absent. */
  readonly readText?: ReadText;
  /** Makes the listener for plain HTTP; one on the machine's network when absent. */
  readonly listen?: Listen;
  /** Names of this machine, for a certificate of our own. */
  readonly hostnames: readonly string[];
}

/** Often enough for a certificate that is replaced before it expires. */
const filePollMs = 10_000;

/** One listener for health and metrics, and, where it is wanted, one with TLS for everything. */
export function createServing(
  config: ServingConfig,
  deps: ServingDeps,
): { readonly listen: () => Promise<ServingAddress>; readonly close: () => Promise<void> } {
  const { clock, log } = deps;
  const { bindAddress: address, secure } = config;
  const plain = (deps.listen ?? createHttpServer)({
    address,
    port: config.port,
    handler: createRoutes({
      ...deps,
      guard: config.hasInsecureDecisions
        ? openGuard
        : closedGuard("decisions are served on --secure-port, to callers with a token"),
      isOpen: createPathMatcher(["/healthz", "/livez", "/readyz", "/metrics"]),
    }),
  });
  const certificate =
    secure &&
    createServingCertificate({
      files: secure.files,
      sniFiles: [],
      store: noStore,
      hosts: [...new Set(["localhost", "127.0.0.1", "::1", ...deps.hostnames, ...secure.selfSignedHosts])],
      readText: deps.readText ?? ((path) => readFile(path, "utf8")),
      pollIntervalMs: filePollMs,
      clock,
      log,
      onReload: () => {},
    });
  const open: HttpServer[] = [];
  return { listen, close };

  async function listen(): Promise<ServingAddress> {
    const bound = await started(plain);
    if (secure === undefined || certificate === undefined) return bound;
    const guard: Guard = createGuard(deps);
    const { main } = await certificate.start();
    const encrypted = createHttpsServer({
      address,
      port: secure.port,
      pair: main,
      handler: createRoutes({ ...deps, guard, isOpen: createPathMatcher(secure.openPaths) }),
    });
    certificate.subscribe((material) => encrypted.update(material.main));
    const { port: securePort } = await started(encrypted);
    return { ...bound, securePort };
  }

  async function started(server: HttpServer): Promise<BoundAddress> {
    const bound = await server.listen();
    open.push(server);
    return bound;
  }

  async function close(): Promise<void> {
    certificate?.stop();
    await Promise.all(open.map((server) => server.close()));
  }
}
