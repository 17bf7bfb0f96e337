import type { Reply } from "../apis/reply.ts";
import type { RequestInfo } from "./request-info.ts";
import { jsonBody } from "./respond.ts";

type MetricsReply = Extract<Reply, { readonly type: "metrics" }>;

/**
 * Answers that are asked for again while they hold, with the text that they were written as. What is asked for once
 * in a while, as autoscalers do, is not kept: it would have become too old by the next time.
 */
export interface KeptReplies {
  /** The answer to the same request as before, when it is the answer still. */
  find(info: RequestInfo): Reply | undefined;
  /** @returns the reply, or one that does the same and remembers its text. */
  offer(info: RequestInfo, reply: Reply): Reply;
}

export interface KeptRepliesOptions {
  readonly nowMs: () => number;
  readonly mostReplies?: number;
  /** Items of all replies together. */
  readonly mostItems?: number;
}

/** Who asks again within this long asks often. */
const OFTEN_MS = 5_000;

export function createKeptReplies(options: KeptRepliesOptions): KeptReplies {
  const mostReplies = options.mostReplies ?? 2_048;
  const mostItems = options.mostItems ?? 20_000;
  const askedAt = new WeakMap<RequestInfo, number>();
  const kept = new Map<RequestInfo, MetricsReply>();
  let items = 0;

  const drop = (info: RequestInfo): void => {
    items -= kept.get(info)?.items ?? 0;
    kept.delete(info);
  };

  const makeRoom = (): void => {
    for (const [info, reply] of kept) {
      // What was put in first goes first, and with it whatever nobody asked for until it was too old.
      const isTooMuch = kept.size > mostReplies || items > mostItems;
      if (!isTooMuch && reply.again?.holds() === true) break;
      drop(info);
    }
  };

  return {
    find(info) {
      const reply = kept.get(info);
      if (reply === undefined) return undefined;
      if (reply.again?.holds() !== true) {
        drop(info);
        return undefined;
      }
      reply.again.given();
      return reply;
    },
    offer(info, reply) {
      if (reply.type !== "metrics" || reply.again === undefined) return reply;
      const nowMs = options.nowMs();
      const lastMs = askedAt.get(info) ?? Number.NaN;
      askedAt.set(info, nowMs);
      if (!(nowMs >= lastMs && nowMs - lastMs <= OFTEN_MS)) return reply;
      const remembering = {
        ...reply,
        body: once(() => jsonBody(reply.json?.() ?? JSON.stringify(reply.object()))),
      };
      drop(info);
      kept.set(info, remembering);
      items += reply.items;
      makeRoom();
      return remembering;
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
