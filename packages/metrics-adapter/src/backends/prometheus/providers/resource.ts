// The provider of metrics.k8s.io: usage of pods and nodes.
import {
  type Awaitable,
  allOf,
  type CacheMeter,
  chain,
  createLimit,
  type Limit,
} from "@plimsoll/component-base";
import {
  type CompiledResourceRules,
  isNamespaceName,
  isObjectName,
  type ResourceMapper,
} from "@plimsoll/rules";
import type { Objects } from "../../../objects/objects.ts";
import type { ObservedObject } from "../../../objects/observed-object.ts";
import { allFresh, type Freshness } from "../query/freshness.ts";
import type { QueryRunner } from "../query/runner.ts";
import { guarded } from "./failure.ts";
import type { WarnLeftOut } from "./left-out.ts";
import { type Outcome, ok, type ProviderFailure, whenOk } from "./outcome.ts";
import type {
  NodeMetrics,
  PodMetrics,
  ResourceMetricsProvider,
  ResourceMetricsQuery,
} from "./resource-api.ts";
import { type ChosenObjects, chooseObjects } from "./resource-objects.ts";
import { createResourceQueries, type ResourceQueries } from "./resource-queries.ts";
import type { ReadSelector } from "./selectors.ts";
import type { Usage } from "./usage.ts";

export interface ResourceProviderOptions {
  readonly rules: CompiledResourceRules;
  readonly mapper: ResourceMapper;
  readonly objects: Objects;
  /** Of the source that the rules name. */
  readonly runner: QueryRunner;
  readonly warnLeftOut: WarnLeftOut;
  readonly readSelector: ReadSelector;
  readonly meter?: CacheMeter | undefined;
}

export function createResourceProvider(options: ResourceProviderOptions): ResourceMetricsProvider {
  const queries = createResourceQueries(options);
  const windowSeconds = Math.round(options.rules.windowMs / 1000);
  const limit = createLimit(MAX_NAMESPACES_AT_ONCE);
  return {
    pods: (query) =>
      guarded(query, () =>
        whenOk(chooseObjects(options, "pods", query), (pods) =>
          podMetrics(options, { queries, limit }, { query, pods, windowSeconds }),
        ),
      ),
    nodes: (query) =>
      guarded(query, () =>
        whenOk(chooseObjects(options, "nodes", query), (nodes) =>
          nodeMetrics(queries, { query, nodes, windowSeconds }),
        ),
      ),
  };
}

/** Queries for all namespaces go out together; this many at a time keep Prometheus responsive. */
const MAX_NAMESPACES_AT_ONCE = 8;

interface PodsRequest {
  readonly query: ResourceMetricsQuery;
  readonly pods: ChosenObjects;
  readonly windowSeconds: number;
}

function podMetrics(
  { warnLeftOut }: ResourceProviderOptions,
  { queries, limit }: { readonly queries: ResourceQueries; readonly limit: Limit },
  request: PodsRequest,
): Awaitable<Outcome<readonly PodMetrics[]>> {
  const { query, pods: chosen } = request;
  const groups = runningByNamespace(chosen.objects);
  const part = partOf(query);
  const usagesOf = ({ namespace, names }: PodGroup): Awaitable<GroupUsage> =>
    guarded(query, () => queries.pods(namespace, { names, part, caller: query }));
  const [only] = groups;
  const outcomes =
    groups.length === 1 && only !== undefined
      ? allOf([usagesOf(only)])
      : allOf(groups.map((group) => limit(async () => await usagesOf(group))));
  return chain(outcomes, (known: readonly GroupUsage[]) => {
    const { found, freshness, lost } = joinGroups(groups, known, request);
    const [first] = lost;
    if (first !== undefined) {
      // One namespace must not cost all others theirs; with nothing to show, the failure is the outcome.
      if (found.length === 0 || query.signal().aborted) return { ok: false, failure: first.failure };
      warnLeftOut("pods of all namespaces", {
        namespaces: lost.length,
        namespace: first.namespace,
        cause: first.failure.message,
      });
      return ok(found);
    }
    const { name, namespace } = query;
    if (name !== undefined && found.length === 0)
      return { ok: false, failure: noUsage("podmetrics.metrics.k8s.io", `${namespace ?? ""}/${name}`) };
    return ok(found, freshnessOf(freshness, chosen));
  });
}

/** The usage of the pods of one namespace. */
type GroupUsage = Outcome<ReadonlyMap<string, Usage>>;

interface JoinedGroups {
  readonly found: readonly PodMetrics[];
  readonly freshness: readonly Freshness[];
  readonly lost: readonly LostNamespace[];
}

function joinGroups(
  groups: readonly PodGroup[],
  outcomes: readonly GroupUsage[],
  { windowSeconds }: PodsRequest,
): JoinedGroups {
  const found: PodMetrics[] = [];
  const freshness: Freshness[] = [];
  const lost: LostNamespace[] = [];
  for (const [at, { namespace, pods }] of groups.entries()) {
    const outcome = outcomes[at];
    if (outcome === undefined) continue;
    if (!outcome.ok) {
      lost.push({ namespace, failure: outcome.failure });
      continue;
    }
    if (outcome.freshness !== undefined) freshness.push(outcome.freshness);
    for (const { metadata } of pods) {
      const usage = outcome.value.get(metadata.name);
      if (usage === undefined) continue;
      const { atMs, containers } = usage;
      const labels = metadata.labels ?? noLabels;
      found.push({ name: metadata.name, namespace, labels, atMs, windowSeconds, containers });
    }
  }
  return { found, freshness, lost };
}

interface LostNamespace {
  readonly namespace: string;
  readonly failure: ProviderFailure;
}

const noLabels: Readonly<Record<string, string>> = {};

interface PodGroup {
  readonly namespace: string;
  readonly pods: readonly ObservedObject[];
  readonly names: readonly string[];
}

const podGroups = new WeakMap<readonly ObservedObject[], readonly PodGroup[]>();

/** Only running pods have usage. Grouped once for each selection. */
function runningByNamespace(pods: readonly ObservedObject[]): readonly PodGroup[] {
  const known = podGroups.get(pods);
  if (known !== undefined) return known;
  const running = pods.filter((pod) => pod.phase === "Running" && isObjectName(pod.metadata.name));
  const byNamespace = Map.groupBy(running, (pod) => pod.metadata.namespace ?? "");
  const groups = [...byNamespace]
    .filter(([namespace]) => isNamespaceName(namespace))
    .map(([namespace, some]) => ({ namespace, pods: some, names: some.map((pod) => pod.metadata.name) }));
  podGroups.set(pods, groups);
  return groups;
}

function freshnessOf(parts: readonly Freshness[], { isUnchanged }: ChosenObjects): Freshness | undefined {
  return isUnchanged === undefined ? undefined : allFresh(parts, isUnchanged);
}

interface NodesRequest {
  readonly query: ResourceMetricsQuery;
  readonly nodes: ChosenObjects;
  readonly windowSeconds: number;
}

function nodeMetrics(
  queries: ResourceQueries,
  { query, nodes, windowSeconds }: NodesRequest,
): Awaitable<Outcome<readonly NodeMetrics[]>> {
  const names = nodes.objects.map((node) => node.metadata.name).filter(isObjectName);
  const none = ok<ReadonlyMap<string, Usage>>(new Map());
  const outcome = names.length === 0 ? none : queries.nodes({ names, part: partOf(query), caller: query });
  return chain(outcome, (usages) => {
    if (!usages.ok) return usages;
    const found: NodeMetrics[] = [];
    for (const { metadata } of nodes.objects) {
      const usage = usages.value.get(metadata.name);
      const [whole] = usage?.containers ?? [];
      if (usage === undefined || whole === undefined) continue;
      found.push({
        name: metadata.name,
        labels: metadata.labels ?? noLabels,
        atMs: usage.atMs,
        windowSeconds,
        usage: whole.usage,
      });
    }
    const { name } = query;
    if (name !== undefined && found.length === 0)
      return { ok: false, failure: noUsage("nodemetrics.metrics.k8s.io", name) };
    return ok(found, usages.freshness === undefined ? undefined : freshnessOf([usages.freshness], nodes));
  });
}

function partOf({ name, labelSelector, fieldSelector }: ResourceMetricsQuery): string {
  return name ?? `* ${labelSelector} ${fieldSelector}`;
}

function noUsage(resource: string, name: string): ProviderFailure {
  return { code: "ObjectNotFound", message: `${resource} ${JSON.stringify(name)} not found`, resource, name };
}
