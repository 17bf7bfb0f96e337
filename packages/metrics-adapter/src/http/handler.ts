// The entry of every request.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock, Logger } from "@plimsoll/component-base";
import { internalError } from "../api/failure.ts";
import type { Telemetry } from "../telemetry/http.ts";
import { logAccess } from "./access-log.ts";
import { type ApiContext, openContext } from "./request-context.ts";
import { sendFailure } from "./respond.ts";
import { sendReply } from "./send-reply.ts";
import type { Handler } from "./stage.ts";

export interface RequestHandlerOptions {
  /** The stages that a request passes. */
  readonly handle: Handler;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Opens the context of each request, passes it through the stages, and writes the outcome. */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { handle, clock, log } = options;
  return (request, response) => {
    const context = openContext(request, response, { nowMs: clock.nowMs() });
    logAccess(context, options);
    serve(context, handle, log);
  };
}

/** Passes a request through the stages, and writes the outcome. Never throws. */
export function serve<C extends ApiContext>(context: C, handle: Handler<C>, log: Logger): void {
  const fail = (error: unknown): void => {
    log.error({ err: error, auditId: context.auditId, path: context.info.path }, "request failed");
    sendFailure(context, internalError("the request failed"));
  };
  try {
    const outcome = handle(context);
    if (outcome instanceof Promise) outcome.then((late) => sendReply(context, late)).catch(fail);
    else sendReply(context, outcome);
  } catch (error) {
    fail(error);
  }
}
