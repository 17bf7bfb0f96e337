// The pods or nodes that a request for resource metrics is about.
import { messageOf } from "@plimsoll/component-base";
import { type Selector, SelectorError } from "@plimsoll/core/selector";
import { type FieldSelector, parseFieldSelector } from "@plimsoll/kube";
import type { ClusterResource, ResourceMapper } from "@plimsoll/rules";
import type { Objects } from "../../../objects/objects.ts";
import type { ObservedObject } from "../../../objects/observed-object.ts";
import { failed, type Outcome, ok } from "./outcome.ts";
import type { ResourceMetricsQuery } from "./resource-api.ts";
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
export async function chooseObjects(
  options: ChooseOptions,
  kind: "pods" | "nodes",
  query: ResourceMetricsQuery,
): Promise<Outcome<ChosenObjects>> {
  const selectors = readSelectors(options.readSelector, query);
  if (!selectors.ok) return selectors;
  const info = await findResource(options.mapper, kind);
  if (!info.ok) return info;
  const { namespace, name } = query;
  if (name !== undefined) {
    const found = await options.objects.get({ info: info.value, namespace, name, caller: query });
    if (!found.ok) return found;
    if (found.value !== undefined) return ok({ objects: [found.value], isUnchanged: undefined });
    const resource = kind === "pods" ? "pods" : "node";
    return failed("ObjectNotFound", `${resource} ${JSON.stringify(name)} not found`, { resource, name });
  }
  const { labels, fields } = selectors.value;
  const selected = await options.objects.select({
    info: info.value,
    namespace,
    selector: labels,
    caller: query,
  });
  if (!selected.ok) return selected;
  const { objects, isUnchanged } = selected.value;
  const isChosen = ({ metadata }: ObservedObject): boolean =>
    fields.matches((field) => (field === "metadata.name" ? metadata.name : (metadata.namespace ?? "")));
  return ok({
    objects: fields.requirements.length === 0 ? objects : objects.filter(isChosen),
    isUnchanged,
  });
}

interface Selectors {
  readonly labels: Selector;
  readonly fields: FieldSelector;
}

const knownFields: readonly string[] = ["metadata.name", "metadata.namespace"];

function readSelectors(readSelector: ReadSelector, query: ResourceMetricsQuery): Outcome<Selectors> {
  const labels = readSelector(query.labelSelector);
  if (!labels.ok) return labels;
  try {
    const fields = parseFieldSelector(query.fieldSelector);
    const unknown = fields.requirements.find(({ field }) => !knownFields.includes(field));
    if (unknown !== undefined) return failed("BadRequest", `field label not supported: ${unknown.field}`);
    return ok({ labels: labels.value, fields });
  } catch (error) {
    if (error instanceof SelectorError) return failed("BadRequest", error.message);
    throw error;
  }
}

async function findResource(mapper: ResourceMapper, kind: string): Promise<Outcome<ClusterResource>> {
  let cause = "the cluster does not have them";
  try {
    const info = await mapper.byResource(kind);
    if (info !== undefined) return ok(info);
  } catch (error) {
    cause = messageOf(error);
  }
  return failed("Unavailable", `${kind} cannot be looked up: ${cause}`, { retryAfterSeconds: 1 });
}
