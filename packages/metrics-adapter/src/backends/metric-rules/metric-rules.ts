// The MetricRules of the cluster and the queries of its WorkloadAutoscalers: the composition root of this backend.
import { isQueryName } from "@plimsoll/core/queries";
import type { KubeClient, ReportLeftOut, RestMapper } from "@plimsoll/kube";
import {
  type CompiledRule,
  createRuleServer,
  createStatusWriter,
  createWatchedQueries,
  createWatchedRules,
  defaultRuleLimits,
  type QuerySource,
  type Ran,
  titleOf,
} from "@plimsoll/metric-rules";
import type { InstantResult } from "@plimsoll/prometheus";
import type { ResourceMapper } from "@plimsoll/rules";
import type { Registry } from "prom-client";
import type { ConfinedObjects } from "../../objects/confined-objects.ts";
import type { MetricRulesOptions } from "../../options/metric-rules.ts";
import { createRuleTelemetry } from "../../telemetry/metric-rules.ts";
import type { Live } from "../live/live.ts";
import { createSelectObjects } from "../prometheus/providers/custom-objects.ts";
import type { ReadSelector } from "../prometheus/providers/selectors.ts";
import type { ExecutableQuery } from "../prometheus/query/execute.ts";
import type { Account } from "../prometheus/query/limits.ts";
import type { QueryRunner } from "../prometheus/query/runner.ts";
import type { Runners } from "../prometheus/query/runners.ts";
import { tenantQuery } from "../prometheus/query/tenant-history.ts";
import type { EngineSeams } from "../prometheus/seams.ts";
import type { Source } from "../prometheus/source.ts";
import { createDirectory, type Directory } from "./directory.ts";

export interface MetricRulesSeams {
  readonly client: KubeClient;
  /** Absent: scale targets are of no known kind. */
  readonly byKind?: RestMapper["byKind"] | undefined;
  readonly random?: (() => number) | undefined;
  readonly leftOut?: ReportLeftOut | undefined;
}

export interface MetricRulesParts extends MetricRulesSeams, MetricRulesOptions, EngineSeams {
  /** By its name; undefined: there is none. */
  readonly sourceOf: (name: string) => Source | undefined;
  readonly mapper: ResourceMapper;
  readonly objects: ConfinedObjects;
  readonly runners: Runners;
  readonly readSelector: ReadSelector;
  readonly registry?: Registry | undefined;
  /** Absent: no pod is scraped. */
  readonly live?: Live | undefined;
}

export interface MetricRules {
  readonly directory: Directory;
  /** Why it is unknown which rules there are, so that their metrics are not served. */
  problem(): string | undefined;
  /** Whether that is because the process lacks the permission. */
  isForbidden(): boolean;
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
    allowsLive: parts.live !== undefined,
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
  const ofPrometheus = createRuleQueries(parts.runners);
  const server = createRuleServer(parts.live?.queries(ofPrometheus) ?? ofPrometheus, limits, parts);
  const status = createStatusWriter({ ...parts, rules, server });
  const selectObjects = createSelectObjects(objects, meter);
  const directory = createDirectory({ ...parts, rules, queries, server, selectObjects, telemetry });
  return {
    directory,
    problem: rules.problem,
    isForbidden: rules.isForbidden,
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

/** Counted under the rule and its namespace, as the queries of the rules file are under theirs. */
function createRuleQueries(runners: Runners): QuerySource {
  const runnerOf = ({ source, namespace }: CompiledRule) => runners.of({ source }, namespace);
  return {
    cached(rule) {
      const runner = runnerOf(rule);
      if (!runner.ok) return undefined;
      const result = runner.value.ofRules.cached({
        promql: rule.query,
        account: accountOf(rule),
        kind: "exact",
      });
      return result === undefined ? undefined : ranOf(runner.value, result);
    },
    async run({ rule, timeoutMs, maxSeries, maxResponseBytes, signal }) {
      const runner = runnerOf(rule);
      if (!runner.ok) return failedWith(runner.failure.message);
      const executable: ExecutableQuery = {
        promql: rule.query,
        account: accountOf(rule),
        kind: "exact",
        maxMs: timeoutMs,
        maxSamples: maxSeries,
        maxResponseBytes,
        caller: { signal },
      };
      return ranOf(runner.value, await runner.value.ofRules.get(executable));
    },
  };
}

/** Each query of an object has its own. */
function accountOf(rule: CompiledRule): Account {
  const title = titleOf(rule);
  const metric = isQueryName(rule.name) ? `${title} ${rule.name}` : title;
  return { metric, namespace: rule.namespace, tenantQuery: tenantQuery(rule.namespace, rule.query) };
}

function ranOf({ ofRules }: QueryRunner, result: InstantResult): Ran {
  return { ok: true, result, freshness: ofRules.freshnessOf(result, "exact") };
}

function failedWith(message: string): Ran {
  return { ok: false, failure: { code: "Internal", message } };
}
