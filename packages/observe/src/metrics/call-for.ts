// Which call reads a metric.
import type { MetricIdentifier, MetricSamples, MetricSpec, ObjectMetricSource } from "@plimsoll/core";
import type { Selector } from "@plimsoll/core/selector";
import type { RestMapper } from "@plimsoll/kube";
import { type CustomQuery, externalCall, objectCall, podsCall } from "./custom.ts";
import { ofQuery } from "./query.ts";
import { resourceCall } from "./resource.ts";
import type { Share } from "./share.ts";
import { InvalidResponseError, type MetricCall, metricSelectorText, NotServedError } from "./wire.ts";

export interface MetricQuery {
  /** The HPA's. */
  readonly namespace: string;
  readonly metric: MetricSpec;
  /** Canonical text of the scale's selector. */
  readonly podSelector: string;
  /** The same when the usage of the whole namespace is worth one call, and how many selectors want a part of it. */
  readonly batch: { readonly selector: Selector; readonly selectors: number } | undefined;
  readonly share: Share;
  /** Max age of a shared result; undefined: as long as they are kept. */
  readonly withinMs: number | undefined;
}

const customGroup = "custom.metrics.k8s.io";
const customVersions = ["v1beta2", "v1beta1"];

/** Throws an InvalidResponseError where there is none, and what discovery throws. */
export async function callFor(
  { metric, namespace, podSelector }: Pick<MetricQuery, "metric" | "namespace" | "podSelector">,
  mapper: RestMapper,
): Promise<MetricCall<MetricSamples>> {
  switch (metric.type) {
    case "Resource":
    case "ContainerResource":
      return resourceCall(namespace, podSelector);
    case "Pods":
      if (metric.pods === undefined) break;
      return podsCallOf(
        metric,
        await customQuery(namespace, requested(metric, metric.pods), mapper),
        podSelector,
      );
    case "Object":
      if (metric.object === undefined) break;
      return objectCall(
        await customQuery(namespace, metric.object.metric, mapper),
        await describedObject(metric.object, mapper),
      );
    case "External":
      if (metric.external === undefined) break;
      return externalCallOf(metric, namespace, requested(metric, metric.external));
  }
  throw new InvalidResponseError(`metric of type "${metric.type}" has no source`);
}

/** A query is asked for under a name of its own; in the specification it has the one that is shown. */
function requested(
  { query }: MetricSpec,
  { metric }: { readonly metric: MetricIdentifier },
): MetricIdentifier {
  return query === undefined ? metric : { name: query.metric };
}

function podsCallOf(
  { query }: MetricSpec,
  asked: CustomQuery,
  podSelector: string,
): MetricCall<MetricSamples> {
  const call = podsCall(asked, podSelector);
  return query === undefined ? call : ofQuery(call);
}

function externalCallOf(
  { query }: MetricSpec,
  namespace: string,
  { name, selector }: MetricIdentifier,
): MetricCall<MetricSamples> {
  const call = externalCall({ namespace, metric: name, metricSelector: metricSelectorText(selector) });
  return query === undefined ? call : ofQuery(call);
}

async function customQuery(
  namespace: string,
  { name, selector }: ObjectMetricSource["metric"],
  mapper: RestMapper,
): Promise<CustomQuery> {
  const served = await mapper.groupVersions(customGroup);
  const version = served.find((candidate) => customVersions.includes(candidate));
  if (version === undefined) throw new NotServedError(`no custom metrics API (${customGroup}) registered`);
  return { version, namespace, metric: name, metricSelector: metricSelectorText(selector) };
}

async function describedObject(
  { describedObject: { kind, name, apiVersion } }: ObjectMetricSource,
  mapper: RestMapper,
): Promise<{ readonly groupResource: string; readonly name: string } | undefined> {
  // The namespace itself: always the HPA's own, whatever the name says.
  if (kind === "Namespace") return undefined;
  const group = apiVersion?.includes("/") === true ? (apiVersion.split("/")[0] ?? "") : "";
  const groupKind = group === "" ? kind : `${kind}.${group}`;
  const [mapping] = await mapper.byKind(group, kind);
  if (mapping === undefined) {
    const reason = `no matches for kind "${kind}" in group "${group}"`;
    throw new InvalidResponseError(`unable to map kind ${groupKind} to resource: ${reason}`);
  }
  const { resource } = mapping;
  return { groupResource: group === "" ? resource : `${resource}.${group}`, name };
}
