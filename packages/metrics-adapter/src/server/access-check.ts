import type { Authentication, Authenticator } from "../auth/authenticate.ts";
import type { Authorizer } from "../auth/authorize.ts";
import { anonymousUser } from "../auth/identity.ts";
import type { Logger } from "../logger.ts";
import type { Telemetry } from "../telemetry.ts";
import type { Exchange } from "./exchange.ts";
import { type Failure, internalError, tooManyRequests, unauthorized } from "./failure.ts";
import { forbidden } from "./forbidden.ts";
import { impersonationHeader } from "./protocol.ts";
import type { RequestInfo } from "./request-info.ts";

export interface AccessCheckOptions {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** Each returns the refusal, or undefined to go on. */
export interface AccessCheck {
  identify(exchange: Exchange): Promise<Failure | undefined>;
  authorize(exchange: Exchange, info: RequestInfo): Promise<Failure | undefined>;
  /** For a path that needs no identity. */
  open(): undefined;
}

export function createAccessCheck(options: AccessCheckOptions): AccessCheck {
  const { telemetry, log } = options;
  return {
    identify: async (exchange) => {
      const result = await options.authenticator.authenticate(exchange.request);
      telemetry.authenticated(result.type === "user" ? result.method : "none", result.type);
      return accept(exchange, result);
    },
    authorize: async (exchange, info) => {
      const user = exchange.user ?? anonymousUser;
      if (user === anonymousUser) {
        // Not worth a question to kube-apiserver, which anybody could then make us ask.
        telemetry.authorized("review", "denied");
        return forbidden(user, info, "");
      }
      const verdict = await options.authorizer.authorize(user, info);
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
    },
    open: () => {
      telemetry.authorized("always-allowed", "allowed");
      return undefined;
    },
  };
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
