// What the process serves, and on which ports.
import { readFile } from "node:fs/promises";
import { type Clock, type Logger, systemClock } from "@plimsoll/component-base";
import type { PageFiles } from "@plimsoll/component-base/page";
import type { ShadowSummary } from "@plimsoll/decisions";
import { createServeDecisions, createStreams } from "@plimsoll/decisions/serve";
import type { KubeClient } from "@plimsoll/kube";
import {
  type BoundAddress,
  createHttpListener,
  createPathMatcher,
  createSecureServer,
  type Listener,
  type ListenerOptions,
  noStore,
  type ReadText,
  requestLimits,
  subjectOf,
  withProtocolChecks,
} from "@plimsoll/kube/serving";
import type { Counter, Registry } from "prom-client";
import type { DecisionStore } from "../decisions/decision-log.ts";
import type { Holders } from "../leadership/coordination.ts";
import { define } from "../telemetry/define.ts";
import type { MetricsPage, MetricsPages } from "../telemetry/metrics-page.ts";
import type { Announcer } from "./announcer.ts";
import { createCallers } from "./callers.ts";
import { readPage } from "./console.ts";
import { createEventIds } from "./event-ids.ts";
import { closedGuard, createGuard, type Guard, openGuard } from "./guard.ts";
import { createPeerClient } from "./relay/peer-client.ts";
import { createRelay } from "./relay/relay.ts";
import { createRelayToken } from "./relay/relay-token.ts";
import type { RequiredAccess } from "./required-access.ts";
import { createRoutes, type Health } from "./routes.ts";
import { createRowStreams } from "./row-streams.ts";

/** Makes a listener for plain HTTP; it accepts connections after listen. */
export type Listen = (options: ListenerOptions) => Listener;

export interface ServingConfig {
  readonly bindAddress: string;
  /** Plain HTTP. */
  readonly port: number;
  /** Decisions over plain HTTP, for whoever can reach the port. */
  readonly hasInsecureDecisions: boolean;
  /** The series of objects over plain HTTP, for whoever can reach the port. */
  readonly hasInsecureMetrics: boolean;
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

export interface ServingDeps extends Omit<Health, "metrics"> {
  readonly metrics: MetricsPages;
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

/** How long idle connections may send a request, and all others take, once no new ones are accepted. */
const drainTimes = { idleMs: 500, graceMs: 5_000 };
/** How long a review counts: as in components of Kubernetes that delegate authentication. */
const reviewTtlMs = 10_000;

/** One listener for health and metrics, and, where it is wanted, one with TLS for everything. */
export function createServing(config: ServingConfig, deps: ServingDeps): Serving {
  const { bindAddress: address, secure } = config;
  const readText: ReadText = deps.readText ?? ((path) => readFile(path, "utf8"));
  const served = createServed(secure, { ...deps, readText });
  const { streams } = served;
  const plainGuard = config.hasInsecureDecisions
    ? openGuard
    : closedGuard("read decisions at --secure-port, with a client certificate or a token");
  const routes = served.routes(plainGuard, ["/healthz", "/livez", "/readyz", "/metrics"], {
    metrics: config.hasInsecureMetrics ? deps.metrics.all : deps.metrics.process,
  });
  const plain = (deps.listen ?? createHttpListener)({
    address,
    port: config.port,
    handler: withProtocolChecks(routes, () => false),
    clock: connectionClock,
    log: deps.log,
  });
  const encrypted = secure && createEncrypted(secure, address, { ...deps, readText });
  const open: Pick<Listener, "close">[] = [];
  return { listen, close, endStreams: streams.endAll };

  async function listen(): Promise<ServingAddress> {
    const bound = await plain.listen();
    open.push(plain);
    if (secure === undefined || encrypted === undefined) return bound;
    const { consoleDirectory, openPaths } = secure;
    const page = consoleDirectory === undefined ? undefined : await readPage(consoleDirectory);
    const handler = served.routes(createGuard(encrypted), openPaths, {
      metrics: deps.metrics.all,
      encrypted: { page },
    });
    open.push(encrypted);
    const { port: securePort } = await encrypted.start(
      withProtocolChecks(handler, encrypted.isIdentityHeader),
    );
    deps.announcer.serves(securePort);
    return { ...bound, securePort };
  }

  async function close(): Promise<void> {
    streams.endAll();
    await Promise.all(open.map((server) => server.close(drainTimes)));
  }
}

interface ServedHere {
  readonly metrics: MetricsPage;
  /** What only the listener with TLS has. */
  readonly encrypted?: { readonly page: PageFiles | undefined };
}

type WithFiles = ServingDeps & { readonly readText: ReadText };

/** What both listeners share. */
function createServed(secure: SecureConfig | undefined, deps: WithFiles) {
  const { clock, decisions, registry } = deps;
  const slow = registerStreams(registry, () => streams.size);
  const streams = createStreams({
    clock,
    most: requestLimits.streams,
    mostOfOne: requestLimits.streamsOfOneUser,
    onSlow: () => slow.inc(),
  });
  const changes = createRowStreams({ rows: decisions.rows, ids: createEventIds(), clock });
  const token = createRelayToken({ ...deps, file: secure?.relayTokenFile });
  const serve = createServeDecisions(streams);
  const relay = createRelay({ holders: deps.holders, peers: createPeerClient(clock), token });
  return {
    streams,
    routes: (guard: Guard, openPaths: readonly string[], { metrics, encrypted }: ServedHere) =>
      createRoutes({
        ...deps,
        metrics,
        streams,
        relay,
        serve,
        changes,
        callers: createCallers(guard, encrypted === undefined ? undefined : token),
        page: encrypted?.page,
        isOpen: createPathMatcher(openPaths),
      }),
  };
}

/** As node's own timeouts of connections, not on a clock that may be made to stand still. */
const connectionClock = systemClock;

function createEncrypted(secure: SecureConfig, address: string, deps: WithFiles) {
  const { announcer, client } = deps;
  return createSecureServer<RequiredAccess>({
    ...deps,
    address,
    port: secure.port,
    connectionClock,
    certificate: {
      files: secure.files,
      sniFiles: [],
      store: noStore,
      hosts: [...deps.hostnames, ...secure.selfSignedHosts],
    },
    authentication: {
      client,
      looksUpConfigMap: secure.hasLookup,
      tokenTtlMs: reviewTtlMs,
      files: { clientCaFile: undefined, requestHeader: undefined },
    },
    authorization: {
      client,
      specOf: (user, access) => ({ ...subjectOf(user), ...access }),
      keyOf: (access) => JSON.stringify(access),
      allowedTtlMs: reviewTtlMs,
      deniedTtlMs: reviewTtlMs,
    },
    onCertificate: ({ main }) => announcer.shows(main.certPem),
  });
}

/** Returns the counter of readers that did not keep up. */
function registerStreams(registry: Registry, size: () => number): Counter {
  const { counter, sampled } = define(registry);
  sampled("plimsoll_event_streams", "Open event streams.", size);
  return counter(
    "plimsoll_event_streams_dropped_total",
    "Event streams ended because their reader was too slow.",
  );
}
