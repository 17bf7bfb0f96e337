// The request path is a list of stages. Each one ends it with an outcome, or calls the next.
import type { Awaitable } from "@plimsoll/component-base";
import type { Reply } from "../api/reply.ts";
import type { ApiContext, RequestContext } from "./request-context.ts";

/** "sent": the response is written by another function, or its caller has gone away. */
export type Outcome = Reply | "sent";
/** Synchronous wherever nothing has to be waited for. */
export type Handler<C extends ApiContext = RequestContext> = (context: C) => Awaitable<Outcome>;
export type Stage<C extends ApiContext = RequestContext> = (next: Handler<C>) => Handler<C>;

/** One handler that passes a request through the stages in their order; `last` ends every request. */
export function pipeline<C extends ApiContext>(stages: readonly Stage<C>[], last: Handler<C>): Handler<C> {
  return stages.reduceRight((next, stage) => stage(next), last);
}
