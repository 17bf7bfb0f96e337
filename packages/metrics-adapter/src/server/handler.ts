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
  type Failure,
  internalError,
  methodNotAllowed,
  notAcceptable,
  tooManyRequests,
} from "./failure.ts";
import type { Lanes } from "./lanes.ts";
import { acceptedMediaTypes, negotiate } from "./negotiate.ts";
import { protocolProblem } from "./protocol.ts";
import { createRequestReader, type RequestInfo } from "./request-info.ts";
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
  readonly smallEndpoints: (exchange: Exchange) => void;
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

  const readRequest = createRequestReader();

  /** Undefined: the answer is out already. Most are, and then nothing is set up to wait for one. */
  const handle = (exchange: Exchange): Promise<void> | undefined => {
    const { request } = exchange;
    const problem = protocolProblem(request, options.isIdentityHeader);
    if (problem !== undefined) {
      telemetry.refused("protocol");
      sendFailure(exchange, problem);
      return undefined;
    }
    const parsed = readRequest(request.method ?? "", request.url ?? "");
    if (!parsed.ok) {
      telemetry.refused("malformed");
      sendFailure(exchange, badRequest(parsed.message));
      return undefined;
    }
    const { info } = parsed;
    exchange.info = info;
    const route = options.router(info);
    exchange.api = route?.api ?? "other";
    const asked = { exchange, info, route, isOpen: options.isAlwaysAllowed(info.path) };
    // Authenticates first: until then, nobody takes up room in the lane of the metric requests.
    const identified = asked.isOpen ? undefined : checkAccess.identify(exchange);
    return identified instanceof Promise
      ? identified.then((refusal) => admit(asked, refusal))
      : admit(asked, identified);
  };

  const admit = (asked: AskedRequest, refusal: Failure | undefined): Promise<void> | undefined => {
    const { exchange, info, route } = asked;
    if (exchange.user === undefined || exchange.user === anonymousUser) {
      // Connections are few; strangers do not get to keep theirs.
      exchange.response.shouldKeepAlive = false;
    }
    if (refusal !== undefined) {
      sendFailure(exchange, refusal);
      return undefined;
    }
    const leave = options.lanes.enter(route?.lane ?? "priority");
    if (leave === undefined) {
      telemetry.refused("overload");
      sendFailure(exchange, tooManyRequests);
      return undefined;
    }
    let pending: Promise<void> | undefined;
    try {
      const timeout = requestTimeout(info.query);
      if (timeout.ok) pending = serve(asked, timeout.timeoutMs);
      else sendFailure(exchange, badRequest(timeout.message));
    } finally {
      if (pending === undefined) leave();
    }
    return pending?.finally(leave);
  };

  const serve = (asked: AskedRequest, timeoutMs: number): Promise<void> | undefined => {
    const { exchange, info } = asked;
    const judged = asked.isOpen ? checkAccess.open() : checkAccess.authorize(exchange, info);
    if (judged instanceof Promise) {
      return underDeadline(exchange, timeoutMs, async (signal) => {
        await answer(asked, await judged)?.(signal);
      });
    }
    const rest = answer(asked, judged);
    return rest === undefined ? undefined : underDeadline(exchange, timeoutMs, rest);
  };

  /** @returns what is left to do; undefined: the answer is out, or up to somebody else. */
  const answer = (
    { exchange, info, route }: AskedRequest,
    denial: Failure | undefined,
  ): ((signal: AbortSignal) => Promise<void>) | undefined => {
    if (denial !== undefined) {
      sendFailure(exchange, denial);
      return undefined;
    }
    if (route === undefined) {
      options.smallEndpoints(exchange);
      return undefined;
    }
    if (info.method !== "GET") {
      sendFailure(exchange, methodNotAllowed);
      return undefined;
    }
    const { headers } = exchange.request;
    const representation = negotiate(headers.accept, route.conversions);
    if (representation === undefined) {
      sendFailure(exchange, notAcceptable(acceptedMediaTypes));
      return undefined;
    }
    const request = { info, conversion: representation.conversion, ifNoneMatch: headers["if-none-match"] };
    const known = route.known(request);
    if (known !== undefined) {
      sendReply(exchange, known, representation);
      return undefined;
    }
    return async (signal) => sendReply(exchange, await route.run({ ...request, signal }), representation);
  };

  const underDeadline = async (
    exchange: Exchange,
    timeoutMs: number,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> => {
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
    const cancel = clock.after(timeoutMs, () => {
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
    const fail = (error: unknown): void => {
      log.error({ err: error, auditId: exchange.auditId, path: exchange.info?.path }, "request failed");
      sendFailure(exchange, internalError("the request could not be completed"));
    };
    try {
      handle(exchange)?.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

interface AskedRequest {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly route: Route | undefined;
  /** Whether the path needs no identity. */
  readonly isOpen: boolean;
}
