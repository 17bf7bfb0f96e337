import type { ResourceInfo, Selector } from "@plimsoll/kube";
import type { InstantResult } from "@plimsoll/prometheus";
import type { EngineTelemetry } from "../engine-telemetry.ts";
import { createMemo } from "../memo.ts";
import { groupResourceOf, type ResourceMapper } from "../naming/resource-labels.ts";
import type { Objects } from "../objects/objects.ts";
import type { ObservedObject } from "../objects/observed-object.ts";
import type { AskFor } from "../query/ask.ts";
import { failureOf } from "../query/failure.ts";
import { isNamespaceName, isObjectName } from "../query/object-names.ts";
import type { QueryPlan } from "../query/plan.ts";
import type { MakeQuestion } from "../query/question.ts";
import { quantityOf } from "../query/value.ts";
import type { Registry } from "../registry/registry.ts";
import type { CustomEntry } from "../registry/snapshot.ts";
import { type Again, allAgain } from "./again.ts";
import { type CustomMetric, createReadMetric, type ReadMetric } from "./custom-metric.ts";
import { describeSamples, type Matched, matchSamples } from "./match.ts";
import { failed, ok, readSelector } from "./outcome.ts";
import { partialFailure, partialWarning } from "./partial.ts";
import type { CustomMetricQuery, CustomMetricsProvider, CustomMetricValue, Outcome } from "./provider.ts";

export interface CustomProviderOptions {
  readonly registry: Registry;
  readonly mapper: ResourceMapper;
  readonly objects: Objects;
  readonly makeQuestion: MakeQuestion;
  readonly askFor: AskFor;
  readonly telemetry: EngineTelemetry;
}

/** A request, once its words have been understood. */
interface Asked {
  readonly query: CustomMetricQuery;
  readonly entry: CustomEntry;
  readonly objectSelector: Selector;
  readonly metricSelector: Selector;
}

interface Work extends CustomProviderOptions {
  readonly readMetric: ReadMetric;
}

/** Metrics of objects: custom.metrics.k8s.io. */
export function createCustomProvider(options: CustomProviderOptions): CustomMetricsProvider {
  const { registry } = options;
  const work: Work = { ...options, readMetric: createReadMetric(options.makeQuestion) };
  return {
    list: () => registry.snapshot().infos,
    async get(query) {
      try {
        const snapshot = registry.snapshot();
        const asked = await understand(work, query);
        if (!asked.ok) return asked;
        const outcome = await answer(work, asked.value);
        if (!outcome.ok || outcome.again === undefined) return outcome;
        return ok(
          outcome.value,
          allAgain([outcome.again], () => registry.snapshot() === snapshot),
        );
      } catch (error) {
        const failure = failureOf(error, query.signal);
        if (failure === undefined) throw error;
        return { ok: false, failure };
      }
    },
  };
}

async function understand(work: Work, query: CustomMetricQuery): Promise<Outcome<Asked>> {
  const objectSelector = readSelector(query.labelSelector);
  if (!objectSelector.ok) return objectSelector;
  const metricSelector = readSelector(query.metricLabelSelector);
  if (!metricSelector.ok) return metricSelector;
  const entry = await findEntry(work, query);
  if (!entry.ok) return entry;
  const { info } = entry.value;
  if (info.namespaced !== (query.namespace !== undefined)) return unknownMetric(query, groupResourceOf(info));
  return ok({
    query,
    entry: entry.value,
    objectSelector: objectSelector.value,
    metricSelector: metricSelector.value,
  });
}

async function findEntry(
  options: CustomProviderOptions,
  query: CustomMetricQuery,
): Promise<Outcome<CustomEntry>> {
  const snapshot = options.registry.snapshot();
  // Controllers send the canonical name, so that asking the mapper is the exception.
  const direct = snapshot.custom(query.groupResource, query.metric);
  if (direct !== undefined) return ok(direct);
  const state = options.registry.state();
  if (!state.isComplete) {
    const cause = state.problem ?? "the metrics have not been listed yet";
    return failed("Unavailable", cause, { retryAfterSeconds: 1 });
  }
  let info: ResourceInfo | undefined;
  try {
    info = await options.mapper.byResource(query.groupResource);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    return failed("Unavailable", `the cluster's resources cannot be read: ${cause}`, {
      retryAfterSeconds: 1,
    });
  }
  if (info === undefined) {
    const message = `the server could not find the metric ${query.metric} for ${query.groupResource}`;
    return failed("ResourceNotFound", message, { resource: query.groupResource });
  }
  const entry = snapshot.custom(groupResourceOf(info), query.metric);
  return entry === undefined ? unknownMetric(query, groupResourceOf(info)) : ok(entry);
}

function unknownMetric(query: CustomMetricQuery, resource: string): ReturnType<typeof failed> {
  const message = `the server could not find the metric ${query.metric} for ${resource}`;
  return failed("MetricNotFound", message, { resource });
}

async function answer(work: Work, asked: Asked): Promise<Outcome<readonly CustomMetricValue[]>> {
  const names = await objectNames(work, asked);
  if (!names.ok) return names;
  const { query, objectSelector } = asked;
  const metric = work.readMetric(asked.entry, query, asked.metricSelector);
  if ("problem" in metric) {
    return metric.isRule ? unusable(asked, metric.problem) : failed("BadRequest", metric.problem);
  }
  const answered = await work.askFor(metric.question, {
    key: query.name === "*" ? `* ${objectSelector.toString()}` : query.name,
    names: names.value.names,
    signal: query.signal,
  });
  if (!answered.ok) {
    return answered.kind === "contradiction"
      ? failed("BadRequest", answered.message)
      : unusable(asked, answered.message);
  }
  return values(work, {
    ...answered,
    asked,
    metric,
    names: names.value.names,
    areNamesSame: names.value.areSame,
  });
}

interface ObjectNames {
  readonly names: readonly string[];
  /** Whether the request is about the same objects still. */
  readonly areSame: () => boolean;
}

/** The same list for the same objects, so that what is worked out for it can be kept with it. */
const singleNames = createMemo<undefined, readonly string[]>({ most: 10_000 });
const listedNames = new WeakMap<readonly ObservedObject[], readonly string[]>();
const always = (): boolean => true;

function namesOf(objects: readonly ObservedObject[]): readonly string[] {
  const known = listedNames.get(objects);
  if (known !== undefined) return known;
  const names = objects.map((object) => object.metadata.name).filter(isObjectName);
  listedNames.set(objects, names);
  return names;
}

async function objectNames(work: Work, asked: Asked): Promise<Outcome<ObjectNames>> {
  const { query, entry, objectSelector } = asked;
  const { namespace, name, signal } = query;
  const resource = groupResourceOf(entry.info);
  const isPossible = namespace === undefined || isNamespaceName(namespace);
  if (name !== "*") {
    // What cannot be a name names nothing; it must not come near a query either.
    return isPossible && isObjectName(name)
      ? ok({ names: singleNames.get(name, undefined, (only) => [only]), areSame: always })
      : missing(asked, "there can be no object of that name");
  }
  const none = `no ${resource} match the selector ${JSON.stringify(objectSelector.toString())}`;
  if (!isPossible) return failed("NoObjectsSelected", none, { resource });
  const selected = await work.objects.select({
    info: entry.info,
    namespace,
    selector: objectSelector,
    signal,
  });
  if (!selected.ok) return selected;
  const { objects, areSame } = selected.value;
  const names = namesOf(objects);
  const where = namespace === undefined ? "" : ` in namespace ${namespace}`;
  return names.length === 0
    ? failed("NoObjectsSelected", `${none}${where}`, { resource })
    : ok({ names, areSame });
}

/** The metric is listed, but its rule gives no query for it. */
function unusable({ query, entry }: Asked, cause: string): ReturnType<typeof failed> {
  const resource = groupResourceOf(entry.info);
  const message = `${unknownMetric(query, resource).failure.message}: ${cause}`;
  return failed("MetricNotFound", message, { resource });
}

interface Answered {
  readonly asked: Asked;
  readonly metric: CustomMetric;
  readonly names: readonly string[];
  readonly areNamesSame: () => boolean;
  readonly plan: QueryPlan;
  readonly result: InstantResult;
  readonly again: Again;
}

function values(work: Work, answered: Answered): Outcome<readonly CustomMetricValue[]> {
  const { asked, metric, names, result } = answered;
  // Of many objects some are missing then, and count as such; of one the value itself may be too small.
  const warning = asked.query.name === "*" ? undefined : partialWarning(result);
  if (warning !== undefined) return partialFailure(warning);
  if (result.type !== "vector") {
    const message = `unable to fetch metrics: the query gives a ${result.type}, not one value per object`;
    return failed("Internal", message);
  }
  const matched = matchSamples({
    samples: result.samples,
    resourceLabel: asked.entry.resourceLabel,
    names,
    namespace: metric.namespace,
  });
  if (!matched.ok) {
    const which = `${groupResourceOf(asked.entry.info)} ${matched.name}`;
    const cause = `several series for ${which}: ${describeSamples(matched.samples)}`;
    return failed("Internal", `unable to fetch metrics: the query gives ${cause}`);
  }
  const found = foundValues(answered, matched);
  const noteDropped = (): void => {
    const useless = matched.byName.size - found.length;
    if (matched.foreign > 0) work.telemetry.samplesDropped("other_namespace", matched.foreign);
    if (useless > 0) work.telemetry.samplesDropped("not_a_number", useless);
  };
  noteDropped();
  if (asked.query.name === "*" || found.length > 0) {
    const dropping: Again = { holds: () => true, given: noteDropped };
    return ok(found, allAgain([answered.again, dropping], answered.areNamesSame));
  }
  const sample = matched.byName.get(asked.query.name);
  return missing(
    asked,
    sample === undefined ? "there is no series for it" : `its value is ${String(sample.value)}`,
  );
}

function foundValues(
  { asked, metric, names, plan }: Answered,
  { byName }: Extract<Matched, { ok: true }>,
): readonly CustomMetricValue[] {
  const { query, entry } = asked;
  const shared = {
    kind: entry.info.kind,
    apiVersion: `${entry.info.group}/${entry.info.version}`,
    namespace: query.namespace,
    metric: entry.metric,
    windowSeconds: plan.windowSeconds,
    selector: metric.selector,
  };
  const found: CustomMetricValue[] = [];
  for (const name of names) {
    const sample = byName.get(name);
    const value = sample === undefined ? undefined : quantityOf(sample.value);
    if (sample !== undefined && value !== undefined)
      found.push({ ...shared, name, value, atMs: sample.atMs });
  }
  return found;
}

function missing({ query, entry }: Asked, cause: string): ReturnType<typeof failed> {
  const resource = groupResourceOf(entry.info);
  const message = `the server could not find the metric ${query.metric} for ${resource} ${query.name}: ${cause}`;
  return failed("ObjectNotFound", message, { resource, name: query.name });
}
