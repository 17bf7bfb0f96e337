// Everything between the metrics APIs and Prometheus: the composition root of the backend.
import type { CacheMeter, Clock, EntryMeter, Logger } from "@plimsoll/component-base";
import {
  createLeftOutReport,
  createReflector,
  createRestMapper,
  type KubeClient,
  type RestMapper,
  resourcePath,
} from "@plimsoll/kube";
import { type CompiledRules, groupResourceOf, type ResourceMapper, withoutShortNames } from "@plimsoll/rules";
import type { Registry as MetricsRegistry } from "prom-client";
import { type ConfinedObjects, createConfinedObjects } from "../../objects/confined-objects.ts";
import {
  createObjects,
  createWatchAhead,
  type Objects,
  type ObjectsOptions,
  reportDiscovery,
} from "../../objects/objects.ts";
import { observedKind, projectObject } from "../../objects/observed-object.ts";
import { createLeftOutCounter } from "../../telemetry/counter.ts";
import { createEngineTelemetry, type SourceState } from "../../telemetry/prometheus.ts";
import type { CreateLive, Live } from "../live/live.ts";
import type { NamespacedMetric } from "../metric-rules/directory.ts";
import type { CreateMetricRules } from "../metric-rules/load.ts";
import type { MetricRules, MetricRulesParts, MetricRulesSeams } from "../metric-rules/metric-rules.ts";
import { createRegistries, fileOwns, type Registries } from "./catalog/registries.ts";
import type { Registry } from "./catalog/registry.ts";
import { createInUse } from "./in-use.ts";
import { createCustomProvider } from "./providers/custom.ts";
import type { CustomMetricsProvider } from "./providers/custom-api.ts";
import { createExternalProvider, type ExternalMetricsProvider } from "./providers/external.ts";
import { createWarnLeftOut } from "./providers/left-out.ts";
import { createResourceProvider } from "./providers/resource.ts";
import type { ResourceMetricsProvider } from "./providers/resource-api.ts";
import { createReadSelector } from "./providers/selectors.ts";
import { createRunners, type Runners } from "./query/runners.ts";
import { createSourceSet, type OpenSources, type Sources } from "./source-set.ts";

/** Everything between the metrics APIs and Prometheus. */
export interface Engine extends Providers {
  /** Never rejects because Prometheus is down: it retries in the background. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Changes the rules while running: which providers there are, and what they know, change in one step when the new
   * rules' metrics have been listed.
   */
  useRules(rules: CompiledRules): Promise<void>;
  /**
   * Changes the sources while running, where `canChangeSources` was set. Queries that have begun end where they began. A
   * source that the rules in use name stays until other rules have been listed.
   */
  useSources(sources: Sources): void;
  readiness(): { readonly ready: boolean; readonly message: string };
  /**
   * Whether a metric is one of the rules file, or of a MetricRule of its namespace; true also while that is unknown.
   * "unless-matched": only rules that are not listed and may have any name may serve it.
   */
  owns(metric: NamespacedMetric): boolean | "unless-matched";
  /** The kind of a resource such as "deployments.apps"; undefined while the cluster's discovery has not said it. */
  kindOf(groupResource: string): string | undefined;
}

/** The metrics APIs that the rules provide for. */
export interface Providers {
  readonly custom: CustomMetricsProvider | undefined;
  readonly external: ExternalMetricsProvider | undefined;
  readonly resource: ResourceMetricsProvider | undefined;
}

export interface EngineOptions extends Sources {
  readonly rules: CompiledRules;
  /** Whether other sources may take their places [false]. */
  readonly canChangeSources?: boolean | undefined;
  /** How many requests are served at a time; sources share them. */
  readonly maxRequests?: number | undefined;
  readonly kube: KubeClient;
  /** Absent: they are not served. */
  readonly createMetricRules?: CreateMetricRules | undefined;
  /** Absent: no pod is scraped. */
  readonly createLive?: CreateLive | undefined;
  readonly clock: Clock;
  readonly relistIntervalMs: number;
  /** How old the last sample of a series may be for its metric to be listed. */
  readonly maxAgeMs: number;
  /** How long a list of series may take. Default: 60 s. */
  readonly listTimeoutMs?: number | undefined;
  readonly log: Logger;
  readonly registry?: MetricsRegistry;
  /** Watches the caches. */
  readonly meter?: CacheMeter | undefined;
  /** Reports what is kept by object. */
  readonly entryMeter?: EntryMeter | undefined;
  /** 0 ≤ x < 1, spreads the ends of watches. Default: the runtime's. */
  readonly random?: () => number;
}

/** On a real cluster connection. */
export function createEngine(options: EngineOptions): Engine {
  const { kube, clock, log, random } = options;
  const onError = reportDiscovery(log);
  const mapper = createRestMapper({ client: kube, clock, onError });
  const leftOut = createLeftOutReport({ clock, log, count: createLeftOutCounter(options.registry) });
  return assembleEngine({
    ...options,
    mapper,
    api: { client: kube, byKind: mapper.byKind, random, leftOut },
    cluster: mapper,
    reflect: (info, onError, namespace) =>
      createReflector({
        client: kube,
        path: resourcePath(info, namespace),
        project: projectObject,
        protobuf: observedKind(info),
        clock,
        onError,
        onLeftOut: (one) => leftOut(groupResourceOf(info), one),
        ...(random === undefined ? {} : { random }),
      }),
  });
}

export interface EngineParts extends Omit<EngineOptions, "kube" | "random"> {
  /** Absent: neither MetricRules nor live metrics are served. */
  readonly api?: MetricRulesSeams | undefined;
  readonly mapper: ResourceMapper;
  /** What the mapper reports of its state, and reads it once more; absent where that never changes. */
  readonly cluster?: Pick<RestMapper, "problem" | "refresh">;
  readonly reflect: ObjectsOptions["reflect"];
}

/** The same, from parts that a test can replace. */
export function assembleEngine(parts: EngineParts): Engine {
  const { clock, log, meter, canChangeSources = false } = parts;
  const mapper = withoutShortNames(parts.mapper);
  const telemetry = createEngineTelemetry(parts.registry, meter);
  const sources = createSourceSet({ ...parts, telemetry });
  const [first, ...others] = sources.current();
  const runners = createRunners(first, others, parts.maxRequests ?? defaultMaxRequests);
  const { objects, confined } = openObjects(parts, mapper);
  const onSettled = (): void => inUse.dropSources();
  const listed = { ...parts, mapper, telemetry, canChangeSources, onSettled };
  const registry = createRegistries(listed, sources.current());
  telemetry.watchSources(() => stateOfSources(sources.current(), registry));
  const warnLeftOut = createWarnLeftOut({ clock, log });
  const readSelector = createReadSelector(meter);
  const shared = { registry, mapper, objects, runners, telemetry, warnLeftOut, readSelector, meter };
  const given = { mapper, objects: confined, runners, telemetry, readSelector, sourceOf: sources.get };
  const { live, metricRules } = openTenants(parts, given);
  const providersFor = createProvidersFor({ ...shared, runLive: live?.run }, metricRules);
  const inUse = createInUse(parts.rules, { sources, runners, registry, metricRules, providersFor });
  const watchAhead = createWatchAhead(mapper, objects, log);

  return {
    get custom() {
      return inUse.providers().custom;
    },
    get external() {
      return inUse.providers().external;
    },
    get resource() {
      return inUse.providers().resource;
    },
    async start() {
      void registry.start();
      metricRules?.start();
      await watchAhead(inUse.rules());
    },
    async useRules(rules) {
      await Promise.all([watchAhead(rules), inUse.useRules(rules)]);
    },
    useSources: inUse.useSources,
    async stop() {
      registry.stop();
      await Promise.all([objects.stop(), confined.stop(), metricRules?.stop(), live?.stop()]);
    },
    readiness: () => readiness(registry, parts.cluster?.problem(), { live, metricRules }),
    owns(metric) {
      const ofFile = fileOwns(registry, metric);
      return ofFile === true || metricRules?.directory.owns(metric) === true || ofFile;
    },
    kindOf: (groupResource) => kindOf(mapper, groupResource),
  };
}

/** Does not wait for the API server. */
function kindOf(mapper: ResourceMapper, groupResource: string): string | undefined {
  const found = mapper.byResource(groupResource);
  if (!(found instanceof Promise)) return found?.kind;
  found.catch(() => undefined);
  return undefined;
}

function openObjects(
  parts: EngineParts,
  mapper: ResourceMapper,
): { readonly objects: Objects; readonly confined: ConfinedObjects } {
  const lookUp: ObjectsOptions["lookUp"] = async (resource) => {
    await parts.cluster?.refresh();
    return mapper.byResource(resource);
  };
  const objects = createObjects({ ...parts, lookUp });
  return { objects, confined: createConfinedObjects({ ...parts, lookUp, shared: objects }) };
}

interface Opened {
  readonly live?: Live | undefined;
  readonly metricRules?: MetricRules | undefined;
}

/** Rules of namespaces, and pods that are scraped for rules: neither needs the other. */
function openTenants(
  { api, ...parts }: EngineParts,
  shared: Pick<
    MetricRulesParts,
    "mapper" | "objects" | "runners" | "telemetry" | "readSelector" | "sourceOf"
  >,
): Opened {
  if (api === undefined) return {};
  const given = { ...parts, ...api, ...shared };
  const live = parts.createLive?.(given);
  return { live, metricRules: parts.createMetricRules?.({ ...given, live }) };
}

/** The providers of a rules file, whichever comes into use. */
function createProvidersFor(
  shared: ResourceParts & Parameters<typeof createCustomProvider>[0],
  metricRules: MetricRules | undefined,
): (rules: CompiledRules) => Providers {
  const custom = createCustomProvider(shared);
  const external = createExternalProvider(shared);
  return (rules) => {
    const ofFile: ApiProviders = {
      custom: rules.custom.length === 0 ? undefined : custom,
      external: rules.external.length === 0 ? undefined : external,
    };
    return { ...withMetricRules(ofFile, metricRules), resource: createResource(rules, shared) };
  };
}

/** With the rules of namespaces before those of the file, where these are served. */
function withMetricRules(ofFile: ApiProviders, metricRules: MetricRules | undefined): ApiProviders {
  if (metricRules === undefined) return ofFile;
  const { directory } = metricRules;
  return { custom: directory.custom(ofFile.custom), external: directory.external(ofFile.external) };
}

type ApiProviders = Pick<Providers, "custom" | "external">;

type ResourceParts = Omit<Parameters<typeof createResourceProvider>[0], "rules" | "runner"> & {
  readonly runners: Runners;
};

function createResource(
  { resource }: CompiledRules,
  parts: ResourceParts,
): ResourceMetricsProvider | undefined {
  // Of all namespaces, for which rules are checked against the sources.
  const runner = resource === undefined ? undefined : parts.runners.of(resource, undefined);
  if (resource === undefined || runner?.ok !== true) return undefined;
  return createResourceProvider({ ...parts, rules: resource, runner: runner.value });
}

/** As many as --max-requests-inflight lets in by default. */
const defaultMaxRequests = 400;

function stateOfSources(sources: OpenSources, registry: Registries): readonly SourceState[] {
  return sources.map(({ name, isOpen, runner }) => ({
    name,
    isOpen: isOpen(),
    unanswered: runner.unanswered(),
    isListed: registry.stateOf(name).problem === undefined,
  }));
}

/**
 * What is known is served: that it may be out of date shows in the message, and makes nothing unready. An update that may
 * not list MetricRules stops here. Whatever else keeps them from being listed may be a tenant's doing, and the rules of
 * the file are served.
 */
function readiness(
  registry: Registry,
  clusterProblem: string | undefined,
  { live, metricRules }: Opened,
): ReturnType<Engine["readiness"]> {
  const { hasResults, problem } = registry.state();
  const rulesProblem = metricRules?.problem();
  if (rulesProblem !== undefined && metricRules?.isForbidden() === true)
    return { ready: false, message: rulesProblem };
  const problems = [problem, clusterProblem, rulesProblem].filter((one) => one !== undefined);
  // Live metrics need no Prometheus.
  if (hasResults || (live !== undefined && problem !== undefined))
    return { ready: true, message: problems.length === 0 ? "ok" : problems.join("; ") };
  return { ready: false, message: problem ?? clusterProblem ?? "metrics haven't been listed yet" };
}
