// The pods or nodes that a request for resource metrics is about.
import type { Awaitable } from "@plimsoll/component-base";
import type { Selector } from "@plimsoll/core/selector";
import { type FieldSelector, parseFieldSelector } from "@plimsoll/kube";
import type { ClusterResource, ResourceMapper } from "@plimsoll/rules";
import type { Objects } from "../../../objects/objects.ts";
import type { ObservedObject } from "../../../objects/observed-object.ts";
import { failed, type Outcome, ok, whenOk } from "./outcome.ts";
import type { ResourceMetricsQuery } from "./resource-api.ts";
import { lookUp } from "./resource-lookup.ts";
import type { ReadSelector } from "./selectors.ts";

export interface ChosenObjects {
  /** Sorted by namespace and name. */
  readonly objects: readonly ObservedObject[];
  /** Whether the same objects would be chosen now; undefined: unknown. */
  readonly isUnchanged: (() => boolean) | undefined;
}

export interface ChooseOptions {
  readonly mapper: ResourceMapper;
  readonly objects: Objects;
  readonly readSelector: ReadSelector;
}

/** The pods or nodes that a request is about. */
export function chooseObjects(
  options: ChooseOptions,
  kind: "pods" | "nodes",
  query: ResourceMetricsQuery,
): Awaitable<Outcome<ChosenObjects>> {
  const selectors = readSelectors(options.readSelector, query);
  if (!selectors.ok) return selectors;
  const { name } = query;
  return whenOk(findResource(options.mapper, kind), (info) =>
    name === undefined
      ? selectObjects(options, { info, query, selectors: selectors.value })
      : getObject(options, { info, query, name }),
  );
}

interface NamedObject {
  readonly info: ClusterResource;
  readonly query: ResourceMetricsQuery;
  readonly name: string;
}

function getObject(
  { objects }: ChooseOptions,
  { info, query, name }: NamedObject,
): Awaitable<Outcome<ChosenObjects>> {
  const { namespace } = query;
  return whenOk(objects.get({ info, namespace, name, caller: query }), (found) => {
    if (found !== undefined) return ok({ objects: [found], isUnchanged: undefined });
    const resource = info.resource === "pods" ? "pods" : "node";
    return failed("ObjectNotFound", `${resource} ${JSON.stringify(name)} not found`, { resource, name });
  });
}

interface SelectedObjects {
  readonly info: ClusterResource;
  readonly query: ResourceMetricsQuery;
  readonly selectors: Selectors;
}

function selectObjects(
  options: ChooseOptions,
  { info, query, selectors: { labels, fields } }: SelectedObjects,
): Awaitable<Outcome<ChosenObjects>> {
  const { namespace } = query;
  const isChosen = ({ metadata }: ObservedObject): boolean =>
    fields.matches((field) => (field === "metadata.name" ? metadata.name : (metadata.namespace ?? "")));
  return whenOk(
    options.objects.select({ info, namespace, selector: labels, caller: query }),
    ({ objects, isUnchanged }) =>
      ok({ objects: fields.requirements.length === 0 ? objects : objects.filter(isChosen), isUnchanged }),
  );
}

interface Selectors {
  readonly labels: Selector;
  readonly fields: FieldSelector;
}

function readSelectors(readSelector: ReadSelector, query: ResourceMetricsQuery): Outcome<Selectors> {
  const labels = readSelector(query.labelSelector);
  return labels.ok ? ok({ labels: labels.value, fields: parseFieldSelector(query.fieldSelector) }) : labels;
}

function findResource(mapper: ResourceMapper, kind: string): Awaitable<Outcome<ClusterResource>> {
  return lookUp(mapper, kind, (info) =>
    info === undefined
      ? failed("Unavailable", `the cluster does not have ${kind}`, { retryAfterSeconds: 1 })
      : ok(info),
  );
}
