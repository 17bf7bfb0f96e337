// Everything between the metrics APIs and Prometheus: the composition root of the backend.
import type { CacheMeter, Clock, EntryMeter, Logger } from "@plimsoll/component-base";
import {
  createReflector,
  createRestMapper,
  type KubeClient,
  type RestMapper,
  resourcePath,
} from "@plimsoll/kube";
import { type CompiledRules, type ResourceMapper, withoutShortNames } from "@plimsoll/rules";
import type { Registry as MetricsRegistry } from "prom-client";
import { type ConfinedObjects, createConfinedObjects } from "../../objects/confined-objects.ts";
import { createObjects, type Objects, type ObjectsOptions } from "../../objects/objects.ts";
import { observedKind, projectObject } from "../../objects/observed-object.ts";
import { createEngineTelemetry, type SourceState } from "../../telemetry/prometheus.ts";
import type { NamespacedMetric } from "../metric-rules/directory.ts";
import type { CreateMetricRules } from "../metric-rules/load.ts";
import type { MetricRules, MetricRulesParts, MetricRulesSeams } from "../metric-rules/metric-rules.ts";
import { createRegistries, type Registries } from "./catalog/registries.ts";
import type { Registry } from "./catalog/registry.ts";
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
  /** Changes the sources while running, where `canChangeSources` was set. Queries that have begun end where they began. */
  useSources(sources: Sources): void;
  readiness(): { readonly ready: boolean; readonly message: string };
  /** Of the rules file alone. */
  readonly ofFile: Pick<Providers, "custom" | "external">;
  /** Whether a MetricRule of the namespace defines a metric. */
  hasRule(metric: NamespacedMetric): boolean;
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
  readonly clock: Clock;
  readonly relistIntervalMs: number;
  /** How old the last sample of a series may be for its metric to be listed. */
  readonly maxAgeMs: number;
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
  const { kube, clock, log, random, createMetricRules: create } = options;
  const onError = (error: unknown): void =>
    log.warn({ err: error }, "reading the cluster's resources failed");
  const mapper = createRestMapper({ client: kube, clock, onError });
  return assembleEngine({
    ...options,
    mapper,
    metricRules: create === undefined ? undefined : { create, client: kube, random },
    cluster: mapper,
    reflect: (info, onError, namespace) =>
      createReflector({
        client: kube,
        path: resourcePath(info, namespace),
        project: projectObject,
        protobuf: observedKind(info),
        clock,
        onError,
        ...(random === undefined ? {} : { random }),
      }),
  });
}

export interface EngineParts extends Omit<EngineOptions, "kube" | "random" | "createMetricRules"> {
  readonly metricRules?: (MetricRulesSeams & { readonly create: CreateMetricRules }) | undefined;
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
  const registry = createRegistries({ ...parts, mapper, telemetry, canChangeSources }, sources.current());
  telemetry.watchSources(() => stateOfSources(sources.current(), registry));
  const warnLeftOut = createWarnLeftOut({ clock, log });
  const readSelector = createReadSelector(meter);
  const shared = { registry, mapper, objects, runners, telemetry, warnLeftOut, readSelector, meter };
  const metricRules = openMetricRules(parts, { ...shared, objects: confined, sourceOf: sources.get });
  const providersFor = createProvidersFor(shared, metricRules);
  let wanted = parts.rules;
  let providers = providersFor(wanted);
  const watchAhead = createWatchAhead(mapper, objects, log);

  return {
    get custom() {
      return providers.custom;
    },
    get external() {
      return providers.external;
    },
    get resource() {
      return providers.resource;
    },
    async start() {
      registry.start();
      metricRules?.start();
      await watchAhead(wanted);
    },
    async useRules(rules) {
      wanted = rules;
      const watching = watchAhead(rules);
      await registry.use(rules);
      // Newer rules may have come in the meantime; theirs are the providers then.
      if (wanted === rules) providers = providersFor(rules);
      await watching;
    },
    useSources(next) {
      sources.use(next);
      runners.use(sources.current());
      registry.useSources(sources.current());
      metricRules?.sourcesChanged();
      providers = providersFor(wanted);
    },
    async stop() {
      registry.stop();
      await Promise.all([objects.stop(), confined.stop(), metricRules?.stop()]);
    },
    readiness: () => readiness(registry, parts.cluster?.problem(), metricRules?.problem()),
    get ofFile() {
      return providers.ofFile;
    },
    hasRule: (metric) => metricRules?.directory.owns(metric) === true,
  };
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

function openMetricRules(
  { metricRules, ...parts }: EngineParts,
  shared: Pick<
    MetricRulesParts,
    "mapper" | "objects" | "runners" | "telemetry" | "readSelector" | "sourceOf"
  >,
): MetricRules | undefined {
  if (metricRules === undefined) return undefined;
  const { create, client, random } = metricRules;
  const { mapper, objects, runners, telemetry, readSelector, sourceOf } = shared;
  return create({ ...parts, client, random, mapper, objects, runners, telemetry, readSelector, sourceOf });
}

interface KnownProviders extends Providers {
  readonly ofFile: Engine["ofFile"];
}

/** The providers of a rules file, whichever comes into use. */
function createProvidersFor(
  shared: ResourceParts & Parameters<typeof createCustomProvider>[0],
  metricRules: MetricRules | undefined,
): (rules: CompiledRules) => KnownProviders {
  const custom = createCustomProvider(shared);
  const external = createExternalProvider(shared);
  return (rules) => {
    const ofFile = {
      custom: rules.custom.length === 0 ? undefined : custom,
      external: rules.external.length === 0 ? undefined : external,
    };
    return { ...withMetricRules(ofFile, metricRules), ofFile, resource: createResource(rules, shared) };
  };
}

/** With the rules of namespaces before those of the file, where these are served. */
function withMetricRules(ofFile: Engine["ofFile"], metricRules: MetricRules | undefined): Engine["ofFile"] {
  if (metricRules === undefined) return ofFile;
  const { directory } = metricRules;
  return { custom: directory.custom(ofFile.custom), external: directory.external(ofFile.external) };
}

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
  return sources.map(({ name, isOpen }) => ({
    name,
    isOpen: isOpen(),
    isListed: registry.stateOf(name).problem === undefined,
  }));
}

/** Watches what nearly every request needs, so that the first one need not wait for a list. Never rejects. */
function createWatchAhead(
  mapper: ResourceMapper,
  objects: Objects,
  log: Logger,
): (rules: CompiledRules) => Promise<void> {
  return async (rules) => {
    const resources = [
      ...(rules.custom.length > 0 || rules.resource !== undefined ? ["pods"] : []),
      ...(rules.resource === undefined ? [] : ["nodes"]),
    ];
    try {
      for (const resource of resources) {
        const info = await mapper.byResource(resource);
        if (info !== undefined) objects.watch(info);
      }
    } catch (error) {
      // The first request for these objects retries.
      log.warn({ err: error }, "the cluster's resources cannot be read yet");
    }
  };
}

/**
 * What is known is served: that it may be out of date shows in the message, and makes nothing unready. Without the list
 * of MetricRules requests of namespaces fail: another replica may have it, and an update that lacks the right to it stops.
 */
function readiness(
  registry: Registry,
  clusterProblem: string | undefined,
  rulesProblem: string | undefined,
): ReturnType<Engine["readiness"]> {
  const { hasResults, problem } = registry.state();
  if (rulesProblem !== undefined) return { ready: false, message: rulesProblem };
  const problems = [problem, clusterProblem].filter((one) => one !== undefined);
  if (hasResults) return { ready: true, message: problems.length === 0 ? "ok" : problems.join("; ") };
  return { ready: false, message: problem ?? clusterProblem ?? "the metrics have not been listed yet" };
}
