import type { MetricSamples, MetricSpec, ObjectMetricSource } from "@plimsoll/core";
import { ApiError, type KubeClient, type RestMapper, type Selector } from "@plimsoll/kube";
import { apiErrorText } from "../errors.ts";
import { type CustomQuery, objectCall, podsCall } from "./custom.ts";
import { externalCall } from "./external.ts";
import { batchCall } from "./namespace-batch.ts";
import { resourceCall } from "./resource.ts";
import type { Share } from "./share.ts";
import { AnswerError, type MetricCall, metricSelectorText } from "./wire.ts";

export interface MetricQuery {
  /** The HPA's. */
  readonly namespace: string;
  readonly metric: MetricSpec;
  /** Canonical text of the scale's selector. */
  readonly podSelector: string;
  /** The same, when the usage of the whole namespace is worth one call. */
  readonly batchSelector: Selector | undefined;
  readonly share: Share;
}

/** Reads the three metrics APIs; a failure of any kind becomes a sample with its text. */
export interface MetricsClient {
  fetch(query: MetricQuery): Promise<MetricSamples>;
}

export type MetricsApiResult = "ok" | "error" | "bad_answer";

const customGroup = "custom.metrics.k8s.io";
const customVersions = ["v1beta2", "v1beta1"];

export function createMetricsClient(o: {
  readonly client: KubeClient;
  readonly mapper: RestMapper;
  /** Shares the usage of a namespace among the objects whose turns are close together. */
  readonly batches: Share;
  readonly onCall: (api: MetricCall<unknown>["api"], result: MetricsApiResult) => void;
}): MetricsClient {
  return { fetch };

  async function fetch(query: MetricQuery): Promise<MetricSamples> {
    try {
      const { batchSelector } = query;
      const isResource = query.metric.type === "Resource" || query.metric.type === "ContainerResource";
      if (isResource && batchSelector !== undefined) {
        const call = batchCall(query.namespace);
        const batch = await o.batches.run(call.path, () => get(call));
        const samples = batch.select(batchSelector);
        if (samples !== undefined) return samples;
      }
      const call = await callFor(query);
      return await query.share.run(`${call.path}?${new URLSearchParams(call.query).toString()}`, () =>
        get(call),
      );
    } catch (error) {
      return { error: apiErrorText(error) };
    }
  }

  async function get<T>(call: MetricCall<T>): Promise<T> {
    let result: MetricsApiResult = "error";
    try {
      const body = await o.client.request({
        path: call.path,
        query: call.query,
      });
      result = "bad_answer";
      const samples = call.read(body);
      result = "ok";
      return samples;
    } catch (error) {
      throw error instanceof ApiError ? new AnswerError(apiErrorText(error, call.path)) : error;
    } finally {
      o.onCall(call.api, result);
    }
  }

  async function callFor(query: MetricQuery): Promise<MetricCall<MetricSamples>> {
    const { metric, namespace } = query;
    switch (metric.type) {
      case "Resource":
      case "ContainerResource":
        return resourceCall(namespace, query.podSelector);
      case "Pods":
        if (metric.pods === undefined) break;
        return podsCall(await customQuery(namespace, metric.pods.metric), query.podSelector);
      case "Object":
        if (metric.object === undefined) break;
        return objectCall(
          await customQuery(namespace, metric.object.metric),
          await describedObject(metric.object),
        );
      case "External":
        if (metric.external === undefined) break;
        return externalCall({
          namespace,
          metric: metric.external.metric.name,
          metricSelector: metricSelectorText(metric.external.metric.selector),
        });
    }
    throw new AnswerError(`metric of type "${metric.type}" has no source to ask`);
  }

  async function customQuery(namespace: string, metric: ObjectMetricSource["metric"]): Promise<CustomQuery> {
    const served = await o.mapper.groupVersions(customGroup);
    const version = served.find((candidate) => customVersions.includes(candidate));
    if (version === undefined) throw new AnswerError(`no custom metrics API (${customGroup}) registered`);
    return {
      version,
      namespace,
      metric: metric.name,
      metricSelector: metricSelectorText(metric.selector),
    };
  }

  async function describedObject(
    source: ObjectMetricSource,
  ): Promise<{ readonly groupResource: string; readonly name: string } | undefined> {
    const { kind, name, apiVersion } = source.describedObject;
    // The namespace itself: always the HPA's own, whatever the name says.
    if (kind === "Namespace") return undefined;
    const group = apiVersion?.includes("/") === true ? (apiVersion.split("/")[0] ?? "") : "";
    const groupKind = group === "" ? kind : `${kind}.${group}`;
    const [mapping] = await o.mapper.byKind(group, kind);
    if (mapping === undefined) {
      const reason = `no matches for kind "${kind}" in group "${group}"`;
      throw new AnswerError(`unable to map kind ${groupKind} to resource: ${reason}`);
    }
    const { resource } = mapping;
    return { groupResource: group === "" ? resource : `${resource}.${group}`, name };
  }
}
