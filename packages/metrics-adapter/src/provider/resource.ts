import {
  type FieldSelector,
  parseFieldSelector,
  type ResourceInfo,
  type Selector,
  SelectorError,
} from "@plimsoll/kube";
import type { CompiledResourceRules } from "../config/rules.ts";
import { groupBy } from "../group-by.ts";
import type { ResourceMapper } from "../naming/resource-labels.ts";
import type { Objects } from "../objects/objects.ts";
import type { ObservedObject } from "../objects/observed-object.ts";
import type { AskFor } from "../query/ask.ts";
import { failureOf } from "../query/failure.ts";
import { isNamespaceName, isObjectName } from "../query/object-names.ts";
import type { MakeQuestion } from "../query/question.ts";
import { type Again, allAgain } from "./again.ts";
import { failed, ok, readSelector } from "./outcome.ts";
import type {
  NodeMetrics,
  Outcome,
  PodMetrics,
  ProviderFailure,
  ResourceMetricsProvider,
  ResourceMetricsQuery,
} from "./provider.ts";
import { createResourceQueries, type ResourceQueries } from "./resource-queries.ts";
import type { Usage } from "./usage.ts";

export interface ResourceProviderOptions {
  readonly rules: CompiledResourceRules;
  readonly mapper: ResourceMapper;
  readonly objects: Objects;
  readonly makeQuestion: MakeQuestion;
  readonly askFor: AskFor;
}

interface ObjectChoice {
  readonly labels: Selector;
  readonly fields: FieldSelector;
}

interface Chosen {
  /** Sorted by namespace and name. */
  readonly objects: readonly ObservedObject[];
  /** Undefined: nobody knows. */
  readonly areSame: (() => boolean) | undefined;
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

/** The objects that a request is about. */
async function chooseObjects(
  options: ResourceProviderOptions,
  kind: "pods" | "nodes",
  query: ResourceMetricsQuery,
): Promise<Outcome<Chosen>> {
  const choice = readChoice(kind, query);
  if (!choice.ok) return choice;
  const info = await findResource(options.mapper, kind);
  if (!info.ok) return info;
  const { namespace, name, signal } = query;
  if (name !== undefined) {
    const found = await options.objects.get({ info: info.value, namespace, name, signal });
    if (!found.ok) return found;
    if (found.value !== undefined) return ok({ objects: [found.value], areSame: undefined });
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
  const { fields } = choice.value;
  const { objects, areSame } = selected.value;
  const isChosen = ({ metadata }: ObservedObject): boolean =>
    fields.matches((field) => (field === "metadata.name" ? metadata.name : (metadata.namespace ?? "")));
  return ok({ objects: fields.requirements.length === 0 ? objects : objects.filter(isChosen), areSame });
}

function readChoice(kind: "pods" | "nodes", query: ResourceMetricsQuery): Outcome<ObjectChoice> {
  const labels = readSelector(query.labelSelector);
  if (!labels.ok) return labels;
  try {
    const fields = parseFieldSelector(query.fieldSelector);
    const known = ["metadata.name", "metadata.namespace"];
    const unknown = fields.requirements.find(({ field }) => !known.includes(field));
    if (unknown !== undefined) return failed("BadRequest", `field label not supported: ${unknown.field}`);
    return ok({ labels: labels.value, fields });
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
  readonly pods: Chosen;
  readonly windowSeconds: number;
}

async function podMetrics(
  queries: ResourceQueries,
  asked: PodsAsked,
): Promise<Outcome<readonly PodMetrics[]>> {
  const { signal } = asked.query;
  const groups = runningByNamespace(asked.pods.objects);
  const answers = await Promise.all(
    groups.map(({ namespace, names }) =>
      queries.pods(namespace, { names, part: partOf(asked.query), signal }),
    ),
  );
  const found: PodMetrics[] = [];
  const again: Again[] = [];
  for (const [at, { namespace, pods }] of groups.entries()) {
    const answer = answers[at];
    if (answer === undefined) continue;
    if (!answer.ok) return answer;
    if (answer.again !== undefined) again.push(answer.again);
    for (const { metadata } of pods) {
      const usage = answer.value.get(metadata.name);
      if (usage === undefined) continue;
      found.push({
        name: metadata.name,
        namespace,
        labels: metadata.labels ?? noLabels,
        atMs: usage.atMs,
        windowSeconds: asked.windowSeconds,
        containers: usage.containers,
      });
    }
  }
  const { name, namespace } = asked.query;
  if (name === undefined || found.length > 0) return ok(found, sameAgain(again, asked.pods));
  return { ok: false, failure: noUsage("podmetrics.metrics.k8s.io", `${namespace ?? ""}/${name}`) };
}

const noLabels: Readonly<Record<string, string>> = {};

interface PodGroup {
  readonly namespace: string;
  readonly pods: readonly ObservedObject[];
  readonly names: readonly string[];
}

const podGroups = new WeakMap<readonly ObservedObject[], readonly PodGroup[]>();

/** Only running pods have usage. Sorted out once for each selection. */
function runningByNamespace(pods: readonly ObservedObject[]): readonly PodGroup[] {
  const known = podGroups.get(pods);
  if (known !== undefined) return known;
  const running = pods.filter((pod) => pod.phase === "Running" && isObjectName(pod.metadata.name));
  const byNamespace = groupBy(running, (pod) => pod.metadata.namespace ?? "");
  const groups = [...byNamespace]
    .filter(([namespace]) => isNamespaceName(namespace))
    .map(([namespace, some]) => ({ namespace, pods: some, names: some.map((pod) => pod.metadata.name) }));
  podGroups.set(pods, groups);
  return groups;
}

function sameAgain(again: readonly Again[], { areSame }: Chosen): Again | undefined {
  return areSame === undefined ? undefined : allAgain(again, areSame);
}

interface NodesAsked {
  readonly query: ResourceMetricsQuery;
  readonly nodes: Chosen;
  readonly windowSeconds: number;
}

async function nodeMetrics(
  queries: ResourceQueries,
  asked: NodesAsked,
): Promise<Outcome<readonly NodeMetrics[]>> {
  const names = asked.nodes.objects.map((node) => node.metadata.name).filter(isObjectName);
  const usages =
    names.length === 0
      ? ok(new Map<string, Usage>())
      : await queries.nodes({ names, part: partOf(asked.query), signal: asked.query.signal });
  if (!usages.ok) return usages;
  const found: NodeMetrics[] = [];
  for (const { metadata } of asked.nodes.objects) {
    const usage = usages.value.get(metadata.name);
    const [whole] = usage?.containers ?? [];
    if (usage === undefined || whole === undefined) continue;
    found.push({
      name: metadata.name,
      labels: metadata.labels ?? noLabels,
      atMs: usage.atMs,
      windowSeconds: asked.windowSeconds,
      usage: whole.usage,
    });
  }
  const { name } = asked.query;
  const again = usages.again === undefined ? undefined : sameAgain([usages.again], asked.nodes);
  if (name === undefined || found.length > 0) return ok(found, again);
  return { ok: false, failure: noUsage("nodemetrics.metrics.k8s.io", name) };
}

function partOf({ name, labelSelector, fieldSelector }: ResourceMetricsQuery): string {
  return name ?? `* ${labelSelector} ${fieldSelector}`;
}

function noUsage(resource: string, name: string): ProviderFailure {
  return { code: "ObjectNotFound", message: `${resource} ${JSON.stringify(name)} not found`, resource, name };
}
