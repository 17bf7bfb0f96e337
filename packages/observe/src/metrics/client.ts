// Reads the three metrics APIs, one query for each metric.
import type { Clock } from "@plimsoll/component-base";
import type { MetricSamples, MetricSpec } from "@plimsoll/core";
import {
  ApiError,
  apiErrorText,
  createResponseMemory,
  type KubeClient,
  publicErrorText,
  type RestMapper,
} from "@plimsoll/kube";
import { type BatchListener, createBatchedQueries } from "./batched-queries.ts";
import { callFor, type MetricQuery } from "./call-for.ts";
import { queryFailure } from "./query.ts";
import type { Share } from "./share.ts";
import { InvalidResponseError, type MetricCall } from "./wire.ts";

/** Reads the three metrics APIs; a failure of any kind becomes a sample with its text. */
export interface MetricsClient {
  fetch(query: MetricQuery): Promise<MetricSamples>;
}

export type MetricsApiResult = "ok" | "error" | "bad_response";

/** Of one response, and of all large ones that are being read: more than the usage of ten thousand pods of a namespace. */
const maxResponseBytes = 16 * 1024 * 1024;
/** Of an error's message, which goes into conditions and events. */
const maxErrorLength = 1024;

export interface MetricsClientOptions extends BatchListener {
  readonly client: KubeClient;
  readonly mapper: RestMapper;
  readonly clock: Clock;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** Shares the usage of a namespace among the objects that are evaluated at about the same time. */
  readonly batches: Share;
  readonly onCall: (api: MetricCall<unknown>["api"], result: MetricsApiResult) => void;
}

export function createMetricsClient(deps: MetricsClientOptions): MetricsClient {
  const responseMemory = createResponseMemory(maxResponseBytes);
  const batchedQueries = createBatchedQueries({ ...deps, share: deps.batches, get });
  return { fetch };

  async function fetch(query: MetricQuery): Promise<MetricSamples> {
    try {
      const { batch, withinMs } = query;
      const isResource = query.metric.type === "Resource" || query.metric.type === "ContainerResource";
      if (isResource && batch !== undefined) {
        const samples = await batchedQueries.samples(query, batch);
        if (samples !== undefined) return samples;
      }
      const call = await callFor(query, deps.mapper);
      const key = keyOf(query.metric, call);
      return await query.share.run(key, () => get(call), withinMs);
    } catch (error) {
      const text = publicErrorText(error);
      return query.metric.query === undefined
        ? { error: text.slice(0, maxErrorLength) }
        : queryFailure(error, text, maxErrorLength);
    }
  }

  async function get<T>(call: MetricCall<T>): Promise<T> {
    let result: MetricsApiResult = "error";
    try {
      const { path, query, readProtobuf } = call;
      let fromProtobuf: { readonly samples: T } | undefined;
      const body = await deps.client.request({
        path,
        query,
        maxResponseBytes,
        responseMemory,
        ...(readProtobuf === undefined
          ? {}
          : {
              readProtobuf: (bytes) => {
                result = "bad_response";
                fromProtobuf = { samples: readProtobuf(bytes) };
              },
            }),
      });
      result = "bad_response";
      const { samples } = fromProtobuf ?? { samples: call.read(body) };
      result = "ok";
      return samples;
    } catch (error) {
      throw error instanceof ApiError
        ? new InvalidResponseError(apiErrorText(error, call.path), { cause: error })
        : error;
    } finally {
      deps.onCall(call.api, result);
    }
  }
}

/** Another object may name the metric of a query itself; its values need not say what was sent. */
function keyOf({ query: ofObject }: MetricSpec, { path, query }: MetricCall<unknown>): string {
  const request = `${path}?${new URLSearchParams(query).toString()}`;
  return ofObject === undefined ? request : `query ${request}`;
}
