// The request path is a list of stages. Each one ends it with an outcome, or calls the next.
import type { Awaitable } from "@plimsoll/component-base";
import type { Reply } from "../api/reply.ts";
import type { RequestContext } from "./request-context.ts";

/** "sent": the response is written by another function, or its caller has gone away. */
export type Outcome = Reply | "sent";
/** Synchronous wherever nothing has to be waited for. */
export type Handler = (context: RequestContext) => Awaitable<Outcome>;
export type Stage = (next: Handler) => Handler;

/** One handler that passes a request through the stages in their order; `last` ends every request. */
export function pipeline(stages: readonly Stage[], last: Handler): Handler {
  return stages.reduceRight((next, stage) => stage(next), last);
}
