// What the process serves, and on which ports.
import { readFile } from "node:fs/promises";
import type { Clock, Logger } from "@plimsoll/component-base";
import type { PageFiles } from "@plimsoll/component-base/page";
import type { KubeClient } from "@plimsoll/kube";
import {
  type AuthenticationSource,
  createAuthenticationSource,
  createPathMatcher,
  createServingCertificate,
  noStore,
  type ReadText,
} from "@plimsoll/kube/serving";
import type { Registry } from "prom-client";
import type { DecisionStore } from "../decisions/decision-log.ts";
import type { Holders } from "../leadership/coordination.ts";
import type { ShadowSummary } from "../shadow/agreement.ts";
import type { Announcer } from "./announcer.ts";
import { createCallers } from "./callers.ts";
import { readPage } from "./console/read-page.ts";
import { createEventIds } from "./event-ids.ts";
import { closedGuard, createGuard, type Guard, openGuard } from "./guard.ts";
import { createPageTags } from "./page-tags.ts";
import { createPeerClient } from "./relay/peer-client.ts";
import { createRelay } from "./relay/relay.ts";
import { createRelayToken } from "./relay/relay-token.ts";
import { createRoutes, type Health } from "./routes.ts";
import {
  type BoundAddress,
  createHttpServer,
  createHttpsServer,
  type HttpServer,
  type Listen,
} from "./server.ts";
import { registerStreams } from "./stream-telemetry.ts";
import { createStreams } from "./streams.ts";

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
  /** Where others reach the port; undefined: they do not. */
  readonly advertiseAddress: string | undefined;
  /** Whether the cluster says which client certificates and front proxies to trust. */
  readonly hasLookup: boolean;
  /** A projected token, by which processes of this deployment know each other. */
  readonly relayTokenFile: string | undefined;
  /** The built page of the console; undefined: it is not served. */
  readonly consoleDirectory: string | undefined;
}

export interface ServingAddress extends BoundAddress {
  readonly securePort?: number;
}

export interface ServingDeps extends Health {
  readonly decisions: Pick<DecisionStore, "of" | "latest" | "records" | "rows">;
  /** Whether inputs are kept, so that there are records. */
  readonly hasInputs: boolean;
  readonly shadow: () => ShadowSummary;
  /** Who decides. */
  readonly holders: () => Holders;
  readonly announcer: Announcer;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Reads files of certificates and tokens; from the disk when absent. */
  readonly readText?: ReadText;
  /** Makes the listener for plain HTTP; one on the machine's network when absent. */
  readonly listen?: Listen;
  /** Where metrics of what is served are registered. */
  readonly registry: Registry;
  /** Names of this machine, for a certificate of our own. */
  readonly hostnames: readonly string[];
}

export interface Serving {
  listen(): Promise<ServingAddress>;
  /** Ends the streams: what they show is another process's from now on, or more than before. */
  endStreams(): void;
  close(): Promise<void>;
}

/** Often enough for a certificate that is replaced before it expires. */
const filePollMs = 10_000;

/** One listener for health and metrics, and, where it is wanted, one with TLS for everything. */
export function createServing(config: ServingConfig, deps: ServingDeps): Serving {
  const { announcer } = deps;
  const { bindAddress: address, secure } = config;
  const readText: ReadText = deps.readText ?? ((path) => readFile(path, "utf8"));
  const served = createServed(secure, { ...deps, readText });
  const { streams } = served;
  const plainGuard = config.hasInsecureDecisions
    ? openGuard
    : closedGuard("decisions are served on --secure-port, to callers with a certificate or a token");
  const plain = (deps.listen ?? createHttpServer)({
    address,
    port: config.port,
    handler: served.routes(plainGuard, ["/healthz", "/livez", "/readyz", "/metrics"]),
  });
  const certificate = secure && servingCertificate(secure, { ...deps, readText });
  const authentication = secure && authenticationSource(secure, { ...deps, readText });
  const open: HttpServer[] = [];
  return { listen, close, endStreams: streams.endAll };

  async function listen(): Promise<ServingAddress> {
    const bound = await started(plain);
    if (secure === undefined || certificate === undefined || authentication === undefined) return bound;
    const { consoleDirectory } = secure;
    const page = consoleDirectory === undefined ? undefined : await readPage(consoleDirectory);
    await authentication.start();
    const guard = createGuard({ ...deps, authentication: authentication.current });
    const { main } = await certificate.start();
    const handler = served.routes(guard, secure.openPaths, { page });
    const encrypted = createHttpsServer({ address, port: secure.port, pair: main, handler });
    certificate.subscribe((material) => {
      encrypted.update(material.main);
      announcer.shows(material.main.certPem);
    });
    const { port: securePort } = await started(encrypted);
    announcer.shows(main.certPem);
    announcer.serves(securePort);
    return { ...bound, securePort };
  }

  async function started(server: HttpServer): Promise<BoundAddress> {
    const bound = await server.listen();
    open.push(server);
    return bound;
  }

  async function close(): Promise<void> {
    certificate?.stop();
    streams.endAll();
    await Promise.all([authentication?.stop(), ...open.map((server) => server.close())]);
  }
}

type WithFiles = ServingDeps & { readonly readText: ReadText };

/** What both listeners share. */
function createServed(secure: SecureConfig | undefined, deps: WithFiles) {
  const { clock, decisions, registry } = deps;
  const slow = registerStreams(registry, () => streams.size);
  const streams = createStreams({
    rows: decisions.rows,
    ids: createEventIds(),
    clock,
    onSlow: () => slow.inc(),
  });
  const token = createRelayToken({ ...deps, file: secure?.relayTokenFile });
  const tagOf = createPageTags();
  const relay = createRelay({ holders: deps.holders, peers: createPeerClient(clock), token });
  return {
    streams,
    /** `encrypted`: what only the listener with TLS has. */
    routes: (
      guard: Guard,
      openPaths: readonly string[],
      encrypted?: { readonly page: PageFiles | undefined },
    ) =>
      createRoutes({
        ...deps,
        streams,
        relay,
        tagOf,
        callers: createCallers(guard, encrypted === undefined ? undefined : token),
        page: encrypted?.page,
        isOpen: createPathMatcher(openPaths),
      }),
  };
}

function servingCertificate(secure: SecureConfig, deps: WithFiles) {
  return createServingCertificate({
    ...deps,
    files: secure.files,
    sniFiles: [],
    store: noStore,
    hosts: [...new Set(["localhost", "127.0.0.1", "::1", ...deps.hostnames, ...secure.selfSignedHosts])],
    pollIntervalMs: filePollMs,
    onReload: () => {},
  });
}

function authenticationSource({ hasLookup }: SecureConfig, deps: WithFiles): AuthenticationSource {
  return createAuthenticationSource({
    ...deps,
    client: hasLookup ? deps.client : undefined,
    files: { clientCaFile: undefined, requestHeader: undefined },
    pollIntervalMs: filePollMs,
    onReload: () => {},
  });
}
