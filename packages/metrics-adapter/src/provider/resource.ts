import { parseFieldSelector, type ResourceInfo, type Selector, SelectorError } from "@plimsoll/kube";
import type { CompiledResourceRules } from "../config/rules.ts";
import { groupBy } from "../group-by.ts";
import type { ResourceMapper } from "../naming/resource-labels.ts";
import type { Objects, ObservedObject } from "../objects/objects.ts";
import type { AskFor } from "../query/ask.ts";
import { failureOf } from "../query/failure.ts";
import { isNamespaceName, isObjectName } from "../query/object-names.ts";
import { failed, ok, readSelector } from "./outcome.ts";
import type {
  NodeMetrics,
  Outcome,
  PodMetrics,
  ProviderFailure,
  ResourceMetricsProvider,
  ResourceMetricsQuery,
} from "./provider.ts";
import { createResourceQueries, type ResourceQueries, type Usage } from "./resource-queries.ts";

export interface ResourceProviderOptions {
  readonly rules: CompiledResourceRules;
  readonly mapper: ResourceMapper;
  readonly objects: Objects;
  readonly askFor: AskFor;
}

interface ObjectChoice {
  readonly kind: "pods" | "nodes";
  readonly query: ResourceMetricsQuery;
  readonly labels: Selector;
  readonly matchesFields: (object: ObservedObject) => boolean;
}

/** Usage of pods and nodes: metrics.k8s.io. */
export function createResourceProvider(options: ResourceProviderOptions): ResourceMetricsProvider {
  const queries = createResourceQueries(options);
  const windowSeconds = Math.round(options.rules.windowMs / 1000);
  return {
    pods: (query) =>
      guarded(query, async () => {
        const pods = await chooseObjects(options, "pods", query);
        if (!pods.ok) return pods;
        return podMetrics(queries, { query, pods: pods.value, windowSeconds });
      }),
    nodes: (query) =>
      guarded(query, async () => {
        const nodes = await chooseObjects(options, "nodes", query);
        if (!nodes.ok) return nodes;
        return nodeMetrics(queries, { query, nodes: nodes.value, windowSeconds });
      }),
  };
}

async function guarded<T>(
  query: ResourceMetricsQuery,
  work: () => Promise<Outcome<readonly T[]>>,
): Promise<Outcome<readonly T[]>> {
  try {
    return await work();
  } catch (error) {
    const failure = failureOf(error, query.signal);
    if (failure === undefined) throw error;
    return { ok: false, failure };
  }
}

/** The objects that a request is about, sorted by namespace and name. Of pods only running ones have usage. */
async function chooseObjects(
  options: ResourceProviderOptions,
  kind: "pods" | "nodes",
  query: ResourceMetricsQuery,
): Promise<Outcome<readonly ObservedObject[]>> {
  const choice = readChoice(kind, query);
  if (!choice.ok) return choice;
  const info = await findResource(options.mapper, kind);
  if (!info.ok) return info;
  const { namespace, name, signal } = query;
  if (name !== undefined) {
    const found = await options.objects.get({ info: info.value, namespace, name, signal });
    if (!found.ok) return found;
    if (found.value !== undefined) return ok([found.value]);
    const singular = kind === "pods" ? "pods" : "node";
    return failed("ObjectNotFound", `${singular} ${JSON.stringify(name)} not found`, {
      resource: singular,
      name,
    });
  }
  const selected = await options.objects.select({
    info: info.value,
    namespace,
    selector: choice.value.labels,
    signal,
  });
  if (!selected.ok) return selected;
  return ok(selected.value.filter(choice.value.matchesFields).sort(byNamespaceAndName));
}

function readChoice(kind: "pods" | "nodes", query: ResourceMetricsQuery): Outcome<ObjectChoice> {
  const labels = readSelector(query.labelSelector);
  if (!labels.ok) return labels;
  try {
    const fields = parseFieldSelector(query.fieldSelector);
    const known = ["metadata.name", "metadata.namespace"];
    const unknown = fields.requirements.find(({ field }) => !known.includes(field));
    if (unknown !== undefined) return failed("BadRequest", `field label not supported: ${unknown.field}`);
    const matchesFields = ({ metadata, phase }: ObservedObject): boolean =>
      (kind === "nodes" || phase === "Running") &&
      fields.matches((field) => (field === "metadata.name" ? metadata.name : (metadata.namespace ?? "")));
    return ok({ kind, query, labels: labels.value, matchesFields });
  } catch (error) {
    if (error instanceof SelectorError) return failed("BadRequest", error.message);
    throw error;
  }
}

async function findResource(mapper: ResourceMapper, kind: string): Promise<Outcome<ResourceInfo>> {
  let cause = "the cluster does not have them";
  try {
    const info = await mapper.byResource(kind);
    if (info !== undefined) return ok(info);
  } catch (error) {
    cause = error instanceof Error ? error.message : String(error);
  }
  return failed("Unavailable", `${kind} cannot be looked up: ${cause}`, { retryAfterSeconds: 1 });
}

interface PodsAsked {
  readonly query: ResourceMetricsQuery;
  readonly pods: readonly ObservedObject[];
  readonly windowSeconds: number;
}

async function podMetrics(
  queries: ResourceQueries,
  asked: PodsAsked,
): Promise<Outcome<readonly PodMetrics[]>> {
  const running = asked.pods.filter((pod) => pod.phase === "Running" && isObjectName(pod.metadata.name));
  const byNamespace = groupBy(running, (pod) => pod.metadata.namespace ?? "");
  const answers = await Promise.all(
    [...byNamespace].map(async ([namespace, pods]) => {
      const names = pods.map((pod) => pod.metadata.name);
      if (!isNamespaceName(namespace)) return ok(new Map<string, Usage>());
      return await queries.pods(namespace, { names, part: partOf(asked.query), signal: asked.query.signal });
    }),
  );
  const found: PodMetrics[] = [];
  for (const [at, [namespace, pods]] of [...byNamespace].entries()) {
    const answer = answers[at];
    if (answer === undefined) continue;
    if (!answer.ok) return answer;
    for (const { metadata } of pods) {
      const usage = answer.value.get(metadata.name);
      if (usage === undefined) continue;
      found.push({
        name: metadata.name,
        namespace,
        labels: metadata.labels ?? {},
        atMs: usage.atMs,
        windowSeconds: asked.windowSeconds,
        containers: usage.containers,
      });
    }
  }
  const { name, namespace } = asked.query;
  if (name === undefined || found.length > 0) return ok(found);
  return { ok: false, failure: noUsage("podmetrics.metrics.k8s.io", `${namespace ?? ""}/${name}`) };
}

interface NodesAsked {
  readonly query: ResourceMetricsQuery;
  readonly nodes: readonly ObservedObject[];
  readonly windowSeconds: number;
}

async function nodeMetrics(
  queries: ResourceQueries,
  asked: NodesAsked,
): Promise<Outcome<readonly NodeMetrics[]>> {
  const names = asked.nodes.map((node) => node.metadata.name).filter(isObjectName);
  const usages =
    names.length === 0
      ? ok(new Map<string, Usage>())
      : await queries.nodes({ names, part: partOf(asked.query), signal: asked.query.signal });
  if (!usages.ok) return usages;
  const found: NodeMetrics[] = [];
  for (const { metadata } of asked.nodes) {
    const usage = usages.value.get(metadata.name);
    const [whole] = usage?.containers ?? [];
    if (usage === undefined || whole === undefined) continue;
    found.push({
      name: metadata.name,
      labels: metadata.labels ?? {},
      atMs: usage.atMs,
      windowSeconds: asked.windowSeconds,
      usage: whole.usage,
    });
  }
  const { name } = asked.query;
  if (name === undefined || found.length > 0) return ok(found);
  return { ok: false, failure: noUsage("nodemetrics.metrics.k8s.io", name) };
}

function partOf({ name, labelSelector, fieldSelector }: ResourceMetricsQuery): string {
  return name ?? `* ${labelSelector} ${fieldSelector}`;
}

function noUsage(resource: string, name: string): ProviderFailure {
  return { code: "ObjectNotFound", message: `${resource} ${JSON.stringify(name)} not found`, resource, name };
}

function byNamespaceAndName(a: ObservedObject, b: ObservedObject): number {
  return (
    compare(a.metadata.namespace ?? "", b.metadata.namespace ?? "") ||
    compare(a.metadata.name, b.metadata.name)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
