// The response cache: serialized responses of repeated requests while they are fresh.
import { type CacheMeter, createBoundedCache, createObjectIds } from "@plimsoll/component-base";
import type { Reply } from "../api/reply.ts";
import type { RequestInfo } from "../api/request-info.ts";
import { jsonBody } from "./json-body.ts";

type MetricsReply = Extract<Reply, { readonly type: "metrics" }>;

/**
 * Responses to requests that are repeated while the response is fresh, with the string that was written. A response to
 * a request that is repeated rarely, as autoscalers do, is not cached: it would be too old by the next time.
 */
export interface ResponseCache {
  /** The response to the same request as before, while it is fresh. */
  find(info: RequestInfo): Reply | undefined;
  /** @returns the reply, or one that does the same and caches its string. */
  offer(info: RequestInfo, reply: Reply): Reply;
}

export interface ResponseCacheOptions {
  readonly nowMs: () => number;
  readonly meter?: CacheMeter | undefined;
  /** Of all replies together. */
  readonly maxBytes?: number;
}

/** A request that is repeated within this time is frequent. */
const FREQUENT_MS = 5_000;
/** Unused responses are dropped after this time, fresh or not. */
const TTL_MS = 60_000;
const MAX_BYTES = 24 * 1024 * 1024;
/** A reply has its string, and the values from which it was written. */
const SHARE = 4;

export function createResponseCache(options: ResponseCacheOptions): ResponseCache {
  const requestedAt = new WeakMap<RequestInfo, number>();
  const cached = createBoundedCache<MetricsReply>({
    name: "replies",
    meter: options.meter,
    maxBytes: options.maxBytes ?? MAX_BYTES,
    sizeOf: ({ body }) => SHARE * (body?.().length ?? 0),
    ttlMs: TTL_MS,
    nowMs: options.nowMs,
  });
  const idOf = createObjectIds();

  return {
    find(info) {
      const id = idOf(info);
      const reply = cached.get(id);
      if (reply === undefined) return undefined;
      if (reply.freshness?.isFresh() !== true) {
        cached.delete(id);
        return undefined;
      }
      reply.freshness.reused();
      return reply;
    },
    offer(info, reply) {
      if (reply.type !== "metrics" || reply.freshness === undefined) return reply;
      const nowMs = options.nowMs();
      const lastMs = requestedAt.get(info) ?? Number.NaN;
      requestedAt.set(info, nowMs);
      if (!(nowMs >= lastMs && nowMs - lastMs <= FREQUENT_MS)) return reply;
      const withBody = {
        ...reply,
        body: once(() => jsonBody(reply.json?.() ?? JSON.stringify(reply.object()))),
      };
      cached.set(idOf(info), withBody);
      return withBody;
    },
  };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
