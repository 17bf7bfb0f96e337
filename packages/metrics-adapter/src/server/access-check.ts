import { type Authorization, type Authorizer, anonymousUser, type User } from "@plimsoll/kube/serving";
import type { Authentication, Authenticator } from "../auth/authenticate.ts";
import type { Logger } from "../logger.ts";
import type { Telemetry } from "../telemetry.ts";
import type { Exchange } from "./exchange.ts";
import { type Failure, internalError, tooManyRequests, unauthorized } from "./failure.ts";
import { forbidden } from "./forbidden.ts";
import { impersonationHeader } from "./protocol.ts";
import type { RequestInfo } from "./request-info.ts";

export interface AccessCheckOptions {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer<RequestInfo>;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** The refusal, or undefined to go on. Most callers are known already: then there is nothing to wait for. */
type Refusal = Failure | undefined | Promise<Failure | undefined>;

export interface AccessCheck {
  identify(exchange: Exchange): Refusal;
  authorize(exchange: Exchange, info: RequestInfo): Refusal;
  /** For a path that needs no identity. */
  open(): undefined;
}

export function createAccessCheck(options: AccessCheckOptions): AccessCheck {
  const { telemetry, log } = options;
  const identified = (exchange: Exchange, result: Authentication): Failure | undefined => {
    telemetry.authenticated(result.type === "user" ? result.method : "none", result.type);
    return accept(exchange, result);
  };
  const judged = (question: Question, verdict: Authorization): Failure | undefined => {
    const { exchange, info, user } = question;
    switch (verdict.type) {
      case "allowed":
        telemetry.authorized(verdict.source, "allowed");
        return undefined;
      case "denied":
        telemetry.authorized("review", "denied");
        return forbidden(user, info, verdict.reason);
      case "unknown":
        telemetry.authorized("review", "error");
        log.warn({ auditId: exchange.auditId, reason: verdict.message }, "access could not be reviewed");
        exchange.note = verdict.message;
        return internalError("the access review failed, so nothing is allowed");
    }
  };
  return {
    identify: (exchange) => {
      const result = options.authenticator.authenticate(exchange.request);
      return result instanceof Promise
        ? result.then((late) => identified(exchange, late))
        : identified(exchange, result);
    },
    authorize: (exchange, info) => {
      const user = exchange.user ?? anonymousUser;
      if (user === anonymousUser) {
        // Not worth a question to kube-apiserver, which anybody could then make us ask.
        telemetry.authorized("review", "denied");
        return forbidden(user, info, "");
      }
      const question = { exchange, info, user };
      const verdict = options.authorizer.authorize(user, info);
      return verdict instanceof Promise
        ? verdict.then((late) => judged(question, late))
        : judged(question, verdict);
    },
    open: () => {
      telemetry.authorized("always-allowed", "allowed");
      return undefined;
    },
  };
}

interface Question {
  readonly exchange: Exchange;
  readonly info: RequestInfo;
  readonly user: User;
}

function accept(exchange: Exchange, result: Authentication): Failure | undefined {
  switch (result.type) {
    case "refused":
      exchange.note = result.reason;
      return unauthorized;
    case "busy":
      exchange.note = "too many tokens under review";
      return tooManyRequests;
    case "anonymous":
      exchange.user = anonymousUser;
      return undefined;
    case "user": {
      exchange.user = result.user;
      const header = impersonationHeader(exchange.request);
      if (header === undefined) {
        return undefined;
      }
      exchange.note = `impersonation header ${header}`;
      return { reason: "Forbidden", message: "impersonation is not supported by this server", details: {} };
    }
  }
}
