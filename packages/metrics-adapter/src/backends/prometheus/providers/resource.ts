// The provider of metrics.k8s.io: usage of pods and nodes.
import {
  type Awaitable,
  allOf,
  type CacheMeter,
  chain,
  createLimit,
  type Limit,
} from "@plimsoll/component-base";
import { noLabels } from "@plimsoll/core/internal/values";
import type { Freshness } from "@plimsoll/metric-rules";
import {
  type CompiledResourceRules,
  isNamespaceName,
  isObjectName,
  type ResourceMapper,
} from "@plimsoll/rules";
import type { Objects } from "../../../objects/objects.ts";
import type { ObservedObject } from "../../../objects/observed-object.ts";
import type { EngineTelemetry } from "../../../telemetry/prometheus.ts";
import { allFresh } from "../query/freshness.ts";
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
import { type ObjectUsage, type Usage, usableIn } from "./usage.ts";

export interface ResourceProviderOptions {
  readonly rules: CompiledResourceRules;
  readonly mapper: ResourceMapper;
  readonly objects: Objects;
  /** Of the source that the rules name. */
  readonly runner: QueryRunner;
  readonly warnLeftOut: WarnLeftOut;
  readonly telemetry: Pick<EngineTelemetry, "usageLeftOut">;
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
          nodeMetrics(options, queries, { query, nodes, windowSeconds }),
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
  options: ResourceProviderOptions,
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
    const { found, causes, freshness, lost } = joinGroups(options, groups, known, request);
    const [first] = lost;
    if (first !== undefined) {
      // One namespace must not cost all others theirs; with nothing to show, the failure is the outcome.
      if (found.length === 0 || query.signal().aborted) return { ok: false, failure: first.failure };
      options.warnLeftOut("pods of all namespaces", {
        namespaces: lost.length,
        namespace: first.namespace,
        cause: first.failure.message,
      });
      return ok(found);
    }
    const { name, namespace } = query;
    if (name !== undefined && found.length === 0)
      return {
        ok: false,
        failure: noUsage("podmetrics.metrics.k8s.io", `${namespace ?? ""}/${name}`, causes),
      };
    return ok(found, freshnessOf(freshness, chosen));
  });
}

/** The usage of the pods of one namespace. */
type GroupUsage = Outcome<ReadonlyMap<string, ObjectUsage>>;

interface JoinedGroups {
  readonly found: readonly PodMetrics[];
  /** Why pods are left out, where more is known than that they have no usage. */
  readonly causes: readonly string[];
  readonly freshness: readonly Freshness[];
  readonly lost: readonly LostNamespace[];
}

function joinGroups(
  options: ResourceProviderOptions,
  groups: readonly PodGroup[],
  outcomes: readonly GroupUsage[],
  { windowSeconds }: PodsRequest,
): JoinedGroups {
  const found: PodMetrics[] = [];
  const causes: string[] = [];
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
    for (const pod of pods) {
      const usage = usableOf(options, "pods", {
        object: pod,
        usage: outcome.value.get(pod.metadata.name),
        causes,
      });
      if (usage === undefined) continue;
      const { metadata } = pod;
      const { atMs, containers } = usage;
      const labels = metadata.labels ?? noLabels;
      found.push({ name: metadata.name, namespace, labels, atMs, windowSeconds, containers });
    }
  }
  return { found, causes, freshness, lost };
}

interface KnownUsage {
  readonly object: ObservedObject;
  readonly usage: ObjectUsage | undefined;
  readonly causes: string[];
}

/** Undefined: the object is left out. That a pod has no usage at all is not logged: it is new, most often. */
function usableOf(
  { telemetry, warnLeftOut }: ResourceProviderOptions,
  resource: "pods" | "nodes",
  { object, usage, causes }: KnownUsage,
): Usage | undefined {
  const usable = usableIn(usage, object.running);
  if ("containers" in usable) return usable;
  const { reason, cause } = usable;
  telemetry.usageLeftOut(resource, reason);
  if (cause !== undefined) causes.push(cause);
  if (cause !== undefined || resource === "nodes") {
    const { namespace, name } = object.metadata;
    warnLeftOut(`metrics.k8s.io ${resource} ${reason}`, {
      namespace,
      name,
      cause: cause ?? "it has no series",
    });
  }
  return undefined;
}

interface LostNamespace {
  readonly namespace: string;
  readonly failure: ProviderFailure;
}

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
  options: ResourceProviderOptions,
  queries: ResourceQueries,
  { query, nodes, windowSeconds }: NodesRequest,
): Awaitable<Outcome<readonly NodeMetrics[]>> {
  const names = nodes.objects.map((node) => node.metadata.name).filter(isObjectName);
  const none = ok<ReadonlyMap<string, ObjectUsage>>(new Map());
  const outcome = names.length === 0 ? none : queries.nodes({ names, part: partOf(query), caller: query });
  return chain(outcome, (usages) => {
    if (!usages.ok) return usages;
    const found: NodeMetrics[] = [];
    const causes: string[] = [];
    for (const node of nodes.objects) {
      const { metadata } = node;
      const usage = usableOf(options, "nodes", {
        object: node,
        usage: usages.value.get(metadata.name),
        causes,
      });
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
      return { ok: false, failure: noUsage("nodemetrics.metrics.k8s.io", name, causes) };
    return ok(found, usages.freshness === undefined ? undefined : freshnessOf([usages.freshness], nodes));
  });
}

function partOf({ name, labelSelector, fieldSelector }: ResourceMetricsQuery): string {
  return name ?? `* ${labelSelector} ${fieldSelector}`;
}

function noUsage(resource: string, name: string, [cause]: readonly string[]): ProviderFailure {
  const message = `${resource} ${JSON.stringify(name)} not found${cause === undefined ? "" : `: ${cause}`}`;
  return { code: "ObjectNotFound", message, resource, name };
}
