// The MetricRules of the cluster and the queries of its WorkloadAutoscalers: the composition root of this backend.
import type { CacheMeter, Clock, Logger } from "@plimsoll/component-base";
import type { KubeClient } from "@plimsoll/kube";
import {
  createRuleServer,
  createStatusWriter,
  createWatchedQueries,
  createWatchedRules,
  defaultRuleLimits,
} from "@plimsoll/metric-rules";
import type { ResourceMapper } from "@plimsoll/rules";
import type { Registry } from "prom-client";
import type { ConfinedObjects } from "../../objects/confined-objects.ts";
import type { MetricRulesOptions } from "../../options/metric-rules.ts";
import { createRuleTelemetry } from "../../telemetry/metric-rules.ts";
import type { EngineTelemetry } from "../../telemetry/prometheus.ts";
import { createSelectObjects } from "../prometheus/providers/custom-objects.ts";
import type { ReadSelector } from "../prometheus/providers/selectors.ts";
import type { Runners } from "../prometheus/query/runners.ts";
import type { Source } from "../prometheus/source.ts";
import { createDirectory, type Directory } from "./directory.ts";
import { createRuleQueries } from "./rule-queries.ts";

export interface MetricRulesSeams {
  readonly client: KubeClient;
  readonly random?: (() => number) | undefined;
}

export interface MetricRulesParts extends MetricRulesSeams, MetricRulesOptions {
  /** By its name; undefined: there is none. */
  readonly sourceOf: (name: string) => Source | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly mapper: ResourceMapper;
  readonly objects: ConfinedObjects;
  readonly runners: Runners;
  readonly readSelector: ReadSelector;
  readonly telemetry: EngineTelemetry;
  readonly registry?: Registry | undefined;
  readonly meter?: CacheMeter | undefined;
}

export interface MetricRules {
  readonly directory: Directory;
  /** Why it is not known which rules there are, so that metrics of namespaces are not served. */
  problem(): string | undefined;
  /** There are other sources, or they serve others: what was refused may be accepted now, and the other way round. */
  sourcesChanged(): void;
  start(): void;
  stop(): Promise<void>;
}

export function createMetricRules(parts: MetricRulesParts): MetricRules {
  const { mapper, sourceOf, objects, meter } = parts;
  const limits = { ...defaultRuleLimits, rulesPerNamespace: parts.rulesPerNamespace };
  const watched = {
    ...parts,
    limits,
    source(name: string) {
      const found = sourceOf(name);
      return found === undefined ? undefined : { serves: found.serves ?? (() => true), shown: found.shown };
    },
  };
  const queries = createWatchedQueries(watched);
  const rules = createWatchedRules({
    ...watched,
    byResource: async (groupResource) => await mapper.byResource(groupResource),
    onDecided: (rule) => status.decided(rule),
  });
  const telemetry = {
    ...parts.telemetry,
    ...createRuleTelemetry(parts.registry, { rules: rules.catalog.counts, queries: queries.catalog.counts }),
  };
  const server = createRuleServer(createRuleQueries(parts.runners), limits, parts);
  const status = createStatusWriter({ ...parts, rules, server });
  const selectObjects = createSelectObjects(objects, meter);
  const directory = createDirectory({ ...parts, rules, queries, server, selectObjects, telemetry });
  return {
    directory,
    problem: rules.problem,
    sourcesChanged() {
      rules.sourcesChanged();
      queries.sourcesChanged();
    },
    start() {
      rules.start();
      queries.start();
    },
    stop: async () => {
      await Promise.all([rules.stop(), queries.stop(), status.stop()]);
    },
  };
}
