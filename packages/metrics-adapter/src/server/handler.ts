import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@plimsoll/kube";
import { type Authorizer, anonymousUser } from "@plimsoll/kube/serving";
import type { Authenticator } from "../auth/authenticate.ts";
import type { Logger } from "../logger.ts";
import type { Telemetry } from "../telemetry.ts";
import { createAccessCheck } from "./access-check.ts";
import { observe } from "./access-log.ts";
import { requestTimeout } from "./deadline.ts";
import { type Exchange, openExchange } from "./exchange.ts";
import {
  badRequest,
  deadlineExceeded,
  internalError,
  methodNotAllowed,
  notAcceptable,
  tooManyRequests,
} from "./failure.ts";
import type { Lanes } from "./lanes.ts";
import { acceptedMediaTypes, negotiate } from "./negotiate.ts";
import { protocolProblem } from "./protocol.ts";
import { parseRequestInfo, type RequestInfo } from "./request-info.ts";
import { sendFailure } from "./respond.ts";
import type { Route, Router } from "./routes.ts";
import { sendReply } from "./send-reply.ts";

export interface HandlerOptions {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer<RequestInfo>;
  readonly isAlwaysAllowed: (path: string) => boolean;
  readonly isIdentityHeader: (name: string) => boolean;
  readonly router: Router;
  /** Health, metrics, version, OpenAPI and whatever is unknown. Answers by itself. */
  readonly smallEndpoints: (request: IncomingMessage, response: ServerResponse) => void;
  readonly lanes: Lanes;
  readonly isDraining: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** The way of every request: transport rules, identity, room, permission, route, answer. */
export function createRequestHandler(options: HandlerOptions): RequestHandler {
  const { clock, log, telemetry } = options;
  const checkAccess = createAccessCheck(options);

  const handle = async (exchange: Exchange): Promise<void> => {
    const { request } = exchange;
    const problem = protocolProblem(request, options.isIdentityHeader);
    if (problem !== undefined) {
      telemetry.refused("protocol");
      sendFailure(exchange, problem);
      return;
    }
    const parsed = parseRequestInfo(request.method ?? "", request.url ?? "");
    if (!parsed.ok) {
      telemetry.refused("malformed");
      sendFailure(exchange, badRequest(parsed.message));
      return;
    }
    const { info } = parsed;
    exchange.info = info;
    const route = options.router(info);
    exchange.api = route?.api ?? "other";
    await admit(exchange, info, route);
  };

  /** Authenticates first: until then, nobody takes up room in the lane of the metric requests. */
  const admit = async (exchange: Exchange, info: RequestInfo, route: Route | undefined): Promise<void> => {
    const isOpen = options.isAlwaysAllowed(info.path);
    const identified = isOpen ? undefined : checkAccess.identify(exchange);
    const refusal = identified instanceof Promise ? await identified : identified;
    if (exchange.user === undefined || exchange.user === anonymousUser) {
      // Connections are few; strangers do not get to keep theirs.
      exchange.response.shouldKeepAlive = false;
    }
    if (refusal !== undefined) {
      sendFailure(exchange, refusal);
      return;
    }
    const leave = options.lanes.enter(route?.lane ?? "priority");
    if (leave === undefined) {
      telemetry.refused("overload");
      sendFailure(exchange, tooManyRequests);
      return;
    }
    try {
      await underDeadline(exchange, info, async (signal) => {
        const judged = isOpen ? checkAccess.open() : checkAccess.authorize(exchange, info);
        const denial = judged instanceof Promise ? await judged : judged;
        if (denial !== undefined) {
          sendFailure(exchange, denial);
        } else if (route === undefined) {
          options.smallEndpoints(exchange.request, exchange.response);
        } else {
          await answer(exchange, info, { route, signal });
        }
      });
    } finally {
      leave();
    }
  };

  const underDeadline = async (
    exchange: Exchange,
    info: RequestInfo,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> => {
    const timeout = requestTimeout(info.query);
    if (!timeout.ok) {
      sendFailure(exchange, badRequest(timeout.message));
      return;
    }
    const controller = new AbortController();
    let leave = (): void => {};
    const over = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const stop = (): void => {
      // An answer that is out leaves nothing to call off, and calling off is dear.
      if (!exchange.response.writableEnded) {
        controller.abort();
      }
      leave();
    };
    const cancel = clock.after(timeout.timeoutMs, () => {
      telemetry.refused("deadline");
      controller.abort();
      sendFailure(exchange, deadlineExceeded);
      leave();
    });
    exchange.response.once("close", stop);
    try {
      await Promise.race([work(controller.signal), over]);
    } finally {
      cancel();
      exchange.response.off("close", stop);
    }
  };

  return (request, response) => {
    const exchange = openExchange(request, response, clock.nowMs());
    observe(exchange, options);
    if (options.isDraining()) {
      response.shouldKeepAlive = false;
    }
    handle(exchange).catch((error: unknown) => {
      log.error({ err: error, auditId: exchange.auditId, path: exchange.info?.path }, "request failed");
      sendFailure(exchange, internalError("the request could not be completed"));
    });
  };
}

async function answer(
  exchange: Exchange,
  info: RequestInfo,
  { route, signal }: { readonly route: Route; readonly signal: AbortSignal },
): Promise<void> {
  if (info.method !== "GET") {
    sendFailure(exchange, methodNotAllowed);
    return;
  }
  const { headers } = exchange.request;
  const representation = negotiate(headers.accept, route.conversions);
  if (representation === undefined) {
    sendFailure(exchange, notAcceptable(acceptedMediaTypes));
    return;
  }
  const { conversion } = representation;
  const ifNoneMatch = headers["if-none-match"];
  sendReply(exchange, await route.run({ info, conversion, ifNoneMatch, signal }), representation);
}
