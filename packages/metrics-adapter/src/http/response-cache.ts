// The response cache: serialized responses of repeated requests while they are fresh.
import { type CacheMeter, createBoundedCache } from "@plimsoll/component-base";
import type { Reply } from "../api/reply.ts";
import type { RequestInfo } from "../api/request-info.ts";
import { jsonBody } from "./json-body.ts";

type MetricsReply = Extract<Reply, { readonly type: "metrics" }>;

/**
 * Responses to requests that are repeated while the response is fresh, with the string that was written. A response to
 * a request that is repeated rarely, as autoscalers do, is not cached: it would be too old by the next time.
 */
export type ResponseCache = ReturnType<typeof createResponseCache>;

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

interface Requested {
  atMs: number;
  /** In the cache, of a response that was cached once. */
  key: string | undefined;
}

export function createResponseCache(options: ResponseCacheOptions) {
  const requests = new WeakMap<RequestInfo, Requested>();
  let lastKey = 0;
  const cached = createBoundedCache<MetricsReply>({
    name: "replies",
    meter: options.meter,
    maxBytes: options.maxBytes ?? MAX_BYTES,
    sizeOf: ({ body }) => SHARE * (body?.().length ?? 0),
    ttlMs: TTL_MS,
    nowMs: options.nowMs,
  });

  return {
    /** The response to the same request as before, while it is fresh. */
    find(info: RequestInfo): Reply | undefined {
      const key = requests.get(info)?.key;
      const reply = key === undefined ? undefined : cached.get(key);
      if (key === undefined || reply === undefined) return undefined;
      if (reply.freshness?.isFresh() !== true) {
        cached.delete(key);
        return undefined;
      }
      reply.freshness.reused();
      return reply;
    },
    /** @returns the reply, or one that does the same and caches its string. */
    offer(info: RequestInfo, reply: Reply): Reply {
      if (reply.type !== "metrics" || reply.freshness === undefined) return reply;
      const nowMs = options.nowMs();
      const request = requests.get(info);
      if (request === undefined) {
        requests.set(info, { atMs: nowMs, key: undefined });
        return reply;
      }
      const isFrequent = nowMs >= request.atMs && nowMs - request.atMs <= FREQUENT_MS;
      request.atMs = nowMs;
      if (!isFrequent || !reply.freshness.isFresh()) return reply;
      request.key ??= String(++lastKey);
      const withBody = {
        ...reply,
        body: once(() => jsonBody(reply.json?.() ?? JSON.stringify(reply.object()))),
      };
      cached.set(request.key, withBody);
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
