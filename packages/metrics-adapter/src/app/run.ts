// Runs the adapter as a process: command line, signals, exit codes.
import { type Clock, createCacheMeter, getOrAdd, type Logger } from "@plimsoll/component-base";
import { withStartupCode } from "@plimsoll/component-base/catalog";
import { lostLinesCounter } from "@plimsoll/component-base/logger";
import { fileErrorText } from "@plimsoll/component-base/process";
import { redact } from "@plimsoll/core/redact";
import { createFederation, type Federation, loadFederation } from "@plimsoll/federation";
import { connect, type KubeClient } from "@plimsoll/kube";
import { type CertificateStore, createCertDir, noStore, type ReadText } from "@plimsoll/kube/serving";
import { ignoredProxies } from "@plimsoll/prometheus";
import { type CompiledRules, formatProblem, type PromqlSyntax } from "@plimsoll/rules";
import { Counter, collectDefaultMetrics, Registry } from "prom-client";
import { loadMetricRules } from "../backends/metric-rules/load.ts";
import { createEngine, type Engine, type EngineOptions } from "../backends/prometheus/engine.ts";
import type { Source } from "../backends/prometheus/source.ts";
import type { BuildInfo } from "../http/endpoints/version.ts";
import type { AdapterOptions, ServingOptions } from "../options/compile.ts";
import { parseOptions } from "../options/options.ts";
import { type Adapter, createAdapter } from "./adapter.ts";
import { createCaBundlePublisher } from "./ca-bundle.ts";
import { createCertificateSecret } from "./certificate-secret.ts";
import { createConfigFiles } from "./config-files.ts";
import { type ConnectionSeams, connectPrometheus, noPrometheus } from "./prometheus-connection.ts";
import type { RulesFile } from "./rules-file.ts";
import type { SourcesFile } from "./sources-file.ts";

/** What a process has and a test can give. */
export interface ProcessSeams {
  /** Behind the program's name. */
  readonly args: readonly string[];
  readonly writeOut: (text: string) => void;
  readonly writeError: (text: string) => void;
  readonly createLog: (verbosity: number) => Logger;
  /** Lines of that log that could not be written. */
  readonly lostLogLines: () => number;
  readonly readText: ReadText;
  readonly clock: Clock;
  readonly hostname: string;
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY of the environment. */
  readonly proxyEnv?: ConnectionSeams["proxyEnv"];
  readonly build: BuildInfo;
  /** How long to serve on after the signal, when no flag says it. */
  readonly shutdownDelayMs: number;
  /** Resolves when the process must end. */
  readonly stopRequested: Promise<void>;
}

/** What stops the process from starting: reported in one line each, without a stack. */
class StartupError extends Error {
  override readonly name = "StartupError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/** The whole life of the process. @returns its exit code: 1 when it cannot start. */
export async function run(seams: ProcessSeams): Promise<number> {
  const parsed = parseOptions(seams.args, seams.build.version);
  switch (parsed.type) {
    case "text":
      seams.writeOut(parsed.text);
      return 0;
    case "problems":
      report(seams, parsed.problems);
      seams.writeError("error: see --help for all flags\n");
      return 1;
    case "options":
      break;
  }
  const log = seams.createLog(parsed.options.verbosity);
  for (const warning of parsed.warnings) log.warn({ warning }, "a flag has no effect");
  try {
    const stop = await start(parsed.options, seams, log);
    await seams.stopRequested;
    await stop();
    return 0;
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    report(seams, error.problems);
    return 1;
  }
}

function report(seams: ProcessSeams, problems: readonly string[]): void {
  seams.writeError(problems.map((problem) => `error: ${redact(withStartupCode(problem))}\n`).join(""));
}

async function start(
  options: AdapterOptions,
  seams: ProcessSeams,
  log: Logger,
): Promise<() => Promise<void>> {
  const { clock, readText, proxyEnv } = seams;
  warnOfProxies(ignoredProxies(proxyEnv), log);
  const followed = { readText, clock, log, proxyEnv, syntax: await syntaxOf(options) };
  const { rulesFile, sourcesFile } = createConfigFiles(options, {
    ...followed,
    connectDefault: () => connectDefault(options, followed),
  });
  await readSources(sourcesFile);
  const rules = await readRules(options.configFile, rulesFile);
  const registry = new Registry();
  const meter = createCacheMeter();
  collectDefaultMetrics({ register: registry });
  registry.registerMetric(new Counter(lostLinesCounter(seams.lostLogLines)));
  const sources = await orStartupError("cannot use a source", () => sourcesFile.connect());
  const clients = createClients(seams.build);
  const open = (kubeconfig: string | undefined): Promise<KubeClient> =>
    orStartupError("cannot connect to kube-apiserver", () => clients.open(kubeconfig));
  const kube = await open(options.listerKubeconfig);
  const { serving } = options;
  const shared = { clock, log, meter };
  const backends = await loadBackends(options, seams);
  const registration = createRegistration(serving, { kube, clock, log });
  const canChangeSources = options.sourcesFile !== undefined;
  const maxRequests = serving.maxRequestsInFlight;
  const given = { ...backends, maxRequests, canChangeSources, rules, kube, registry };
  const engine = createEngine({ ...shared, ...options, ...sources, ...given });
  const federation = await openFederation(options, engine, { ...seams, log, registry });
  const adapter = createAdapter(
    {
      ...options,
      serving: { ...serving, shutdownDelayMs: serving.shutdownDelayMs ?? seams.shutdownDelayMs },
    },
    {
      rulesFile,
      ...(canChangeSources ? { sourcesFile } : {}),
      engine,
      federation,
      authenticationClient: await open(options.authentication.kubeconfig),
      authorizationClient: await open(options.authorization.kubeconfig),
      ...shared,
      registry,
      readText,
      certificateStore: registration.store,
      hostname: seams.hostname,
      build: seams.build,
    },
  );
  await startAdapter(adapter, options);
  registration.start();
  return async () => {
    await registration.stop();
    await adapter.stop();
    await Promise.allSettled([clients.close(), sourcesFile.close()]);
  };
}

/** Only queries over pods are parsed. */
async function syntaxOf({ live }: AdapterOptions): Promise<PromqlSyntax> {
  if (live === undefined) return { liveProblem: "off" };
  const { liveProblem } = await import("@plimsoll/metric-rules");
  return { liveProblem };
}

/** What is not used is not in memory. */
async function loadBackends(
  { metricRules, live: options }: AdapterOptions,
  { readText, build }: ProcessSeams,
): Promise<Pick<EngineOptions, "createMetricRules" | "createLive">> {
  const createMetricRules = await loadMetricRules(metricRules);
  if (options === undefined) return { createMetricRules };
  const { caFile } = options;
  const ca =
    caFile === undefined
      ? undefined
      : await orStartupError("cannot read --live-ca-file", () => readText(caFile));
  const { createLive } = await import("../backends/live/live.ts");
  const settings = { options, ca, userAgent: userAgentOf(build), readText };
  return { createMetricRules, createLive: (parts) => createLive(settings, parts) };
}

function warnOfProxies(variables: readonly string[], log: Logger): void {
  if (variables.length > 0) log.warn({ variables }, "this version of Node.js ignores HTTP proxies");
}

interface Registration {
  /** Where the self-signed certificate is kept. */
  readonly store: CertificateStore;
  start(): void;
  stop(): Promise<void>;
}

function createRegistration(
  { certDir, certSecret, selfSignedHosts, publishesCaBundleTo }: ServingOptions,
  { kube, clock, log }: { readonly kube: KubeClient; readonly clock: Clock; readonly log: Logger },
): Registration {
  if (certSecret === undefined) {
    const store = certDir === undefined ? noStore : createCertDir(certDir, log);
    return { store, start: () => {}, stop: () => Promise.resolve() };
  }
  const store = createCertificateSecret({ client: kube, secret: certSecret, nowMs: () => clock.nowMs() });
  const publisher = createCaBundlePublisher({
    client: kube,
    apiServices: publishesCaBundleTo,
    hosts: selfSignedHosts,
    caBundle: () => store.caBundle(),
    clock,
    log,
  });
  return { ...publisher, store };
}

function startAdapter(adapter: Adapter, { serving }: AdapterOptions): Promise<unknown> {
  return orStartupError(`cannot serve on ${serving.address} port ${serving.port}`, () => adapter.start());
}

async function readRules(configFile: string, rulesFile: RulesFile): Promise<CompiledRules> {
  const loaded = await orStartupError("cannot read the rules file", () => rulesFile.load());
  if (loaded.ok) return loaded.rules;
  throw new StartupError(loaded.problems.map((problem) => formatProblem(configFile, problem)));
}

/** Of the flags. */
async function connectDefault(
  { resultMaxAgeMs, prometheus }: AdapterOptions,
  seams: ConnectionSeams,
): Promise<Source> {
  if (prometheus.url === "") return { client: noPrometheus(), resultMaxAgeMs };
  const client = await orStartupError("cannot read the credentials for Prometheus", async () => {
    try {
      return await connectPrometheus(prometheus, seams);
    } catch (error) {
      // The files were read: it is the address of Prometheus, or of the proxy, that cannot be used.
      if (!(error instanceof TypeError)) throw error;
      const flag = prometheus.proxyUrl === undefined ? "" : "--prometheus-proxy-url: ";
      throw new StartupError([`${flag}${error.message}`]);
    }
  });
  return { client, resultMaxAgeMs, queryTimeoutMs: prometheus.queryTimeoutMs };
}

async function readSources(sourcesFile: SourcesFile): Promise<void> {
  const problems = await orStartupError("cannot read the sources file", () => sourcesFile.load());
  if (problems.length > 0) throw new StartupError(problems);
}

/** Other adapters, of which discovery has begun; undefined without a file of them. */
async function openFederation(
  { federationFile: path, federationDiscoveryMaxAgeMs: discoveryMaxAgeMs }: AdapterOptions,
  engine: Engine,
  seams: ProcessSeams & { readonly log: Logger; readonly registry: Registry },
): Promise<Federation | undefined> {
  if (path === undefined) return undefined;
  const text = await orStartupError("cannot read the backends file", () => seams.readText(path));
  const loaded = loadFederation(text);
  for (const warning of loaded.ok ? loaded.warnings : [])
    seams.log.warn({ ...warning, file: path }, "a backend may be unsafe");
  if (!loaded.ok) throw new StartupError(loaded.problems.map((problem) => formatProblem(path, problem)));
  const { config } = loaded;
  const userAgent = userAgentOf(seams.build);
  const federation = createFederation({
    ...seams,
    config,
    isOwn: engine.owns,
    kindOf: engine.kindOf,
    discoveryMaxAgeMs,
    userAgent,
  });
  await orStartupError("cannot use a backend", () => federation.start());
  return federation;
}

async function orStartupError<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError([`${what}: ${fileErrorText(error)}`]);
  }
}

/** One connection for each kubeconfig, however many flags name it. */
function createClients(build: BuildInfo): {
  open(kubeconfig: string | undefined): Promise<KubeClient>;
  close(): Promise<void>;
} {
  const clients = new Map<string, Promise<KubeClient>>();
  return {
    open: (kubeconfig) => {
      const options = { userAgent: userAgentOf(build), ...(kubeconfig === undefined ? {} : { kubeconfig }) };
      return getOrAdd(clients, kubeconfig ?? "", () => connect(options));
    },
    close: async () => {
      await Promise.allSettled([...clients.values()].map(async (client) => (await client).close()));
    },
  };
}

/** What other servers see of us. */
function userAgentOf({ version }: BuildInfo): string {
  return `plimsoll-metrics-adapter/${version}`;
}
