import { type Clock, createReflector, createRestMapper, type KubeClient, resourcePath } from "@plimsoll/kube";
import type { PrometheusClient } from "@plimsoll/prometheus";
import type { Registry as MetricsRegistry } from "prom-client";
import type { CompiledRules } from "./config/rules.ts";
import { createEngineTelemetry } from "./engine-telemetry.ts";
import type { Logger } from "./logger.ts";
import { type ResourceMapper, withoutShortNames } from "./naming/resource-labels.ts";
import { createObjects, type ObjectsOptions } from "./objects/objects.ts";
import { projectObject } from "./objects/observed-object.ts";
import { createCustomProvider } from "./provider/custom.ts";
import { createExternalProvider } from "./provider/external.ts";
import type { Engine } from "./provider/provider.ts";
import { createResourceProvider } from "./provider/resource.ts";
import { createAskFor } from "./query/ask.ts";
import { instrumentPrometheus } from "./query/instrumented.ts";
import { createQuestions } from "./query/question.ts";
import { createQueryRunner } from "./query/runner.ts";
import { createScrapeIntervalCheck } from "./query/scrape-interval.ts";
import { createRegistry, type Registry } from "./registry/registry.ts";

export interface EngineOptions {
  readonly rules: CompiledRules;
  readonly prometheus: PrometheusClient;
  readonly kube: KubeClient;
  readonly clock: Clock;
  readonly relistIntervalMs: number;
  /** How old the last sample of a series may be for its metric to be listed. */
  readonly maxAgeMs: number;
  readonly log: Logger;
  readonly registry?: MetricsRegistry;
  /** How old an answer of Prometheus may be when it is given again; 0 asks anew for every request. */
  readonly resultMaxAgeMs: number;
}

/** Everything between the metrics APIs and Prometheus, on a real cluster connection. */
export function createEngine(options: EngineOptions): Engine {
  const { kube, clock, log } = options;
  const onError = (error: unknown): void =>
    log.warn({ err: error }, "reading the cluster's resources failed");
  return assembleEngine({
    ...options,
    mapper: createRestMapper({ client: kube, clock, onError }),
    reflect: (info, onError) =>
      createReflector({ client: kube, path: resourcePath(info), project: projectObject, clock, onError }),
  });
}

type Providers = Pick<Engine, "custom" | "external" | "resource">;

export interface EngineParts extends Omit<EngineOptions, "kube"> {
  readonly mapper: ResourceMapper;
  readonly reflect: ObjectsOptions["reflect"];
}

/** The same, from parts that a test can stand in for. */
export function assembleEngine(parts: EngineParts): Engine {
  const { clock, log } = parts;
  const mapper = withoutShortNames(parts.mapper);
  const telemetry = createEngineTelemetry(parts.registry);
  const prometheus = instrumentPrometheus(parts.prometheus, telemetry, () => performance.now() / 1000);
  const objects = createObjects({ reflect: parts.reflect, clock, log });
  const onRelisted = createScrapeIntervalCheck({ ...parts, prometheus, telemetry });
  const registry = createRegistry({ ...parts, mapper, prometheus, telemetry, onRelisted });
  const queries = createQueryRunner({ ...parts, prometheus, telemetry });
  const askFor = createAskFor({ queries, clock });
  const shared = { registry, mapper, objects, makeQuestion: createQuestions(), askFor, telemetry };
  const custom = createCustomProvider(shared);
  const external = createExternalProvider(shared);

  const providersFor = (rules: CompiledRules): Providers => ({
    custom: rules.custom.length === 0 ? undefined : custom,
    external: rules.external.length === 0 ? undefined : external,
    resource:
      rules.resource === undefined ? undefined : createResourceProvider({ ...shared, rules: rules.resource }),
  });
  let wanted = parts.rules;
  let providers = providersFor(wanted);

  /** Watches what nearly every request needs, so that the first one need not wait for a list. */
  const watchAhead = async (rules: CompiledRules): Promise<void> => {
    const resources = [
      ...(rules.custom.length > 0 || rules.resource !== undefined ? ["pods"] : []),
      ...(rules.resource === undefined ? [] : ["nodes"]),
    ];
    for (const resource of resources) {
      const info = await mapper.byResource(resource);
      if (info !== undefined) objects.watch(info);
    }
  };

  const tryWatchAhead = async (rules: CompiledRules): Promise<void> => {
    try {
      await watchAhead(rules);
    } catch (error) {
      // The first request for these objects tries again.
      log.warn({ err: error }, "the cluster's resources cannot be read yet");
    }
  };

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
      await tryWatchAhead(wanted);
    },
    async useRules(rules) {
      wanted = rules;
      const watching = tryWatchAhead(rules);
      await registry.use(rules);
      // Newer rules may have come in the meantime; theirs are the providers then.
      if (wanted === rules) providers = providersFor(rules);
      await watching;
    },
    async stop() {
      registry.stop();
      await objects.stop();
    },
    readiness: () => readiness(registry),
  };
}

function readiness(registry: Registry): { readonly ready: boolean; readonly message: string } {
  const state = registry.state();
  if (state.hasAnswers) return { ready: true, message: state.problem ?? "ok" };
  return { ready: false, message: state.problem ?? "the metrics have not been listed yet" };
}
