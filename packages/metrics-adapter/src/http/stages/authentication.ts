// The stage that authenticates the caller.
import type { Socket } from "node:net";
import { type Clock, chain, createLogLimiter, type Logger } from "@plimsoll/component-base";
import { type AuthenticationResult, type Authenticator, anonymousUser } from "@plimsoll/kube/serving";
import { type Failure, tooManyRequests, unauthorized } from "../../api/failure.ts";
import { failed } from "../../api/reply.ts";
import type { Telemetry } from "../../telemetry/http.ts";
import type { RequestContext } from "../request-context.ts";
import type { Stage } from "../stage.ts";
import { impersonationHeader } from "./protocol-checks.ts";

export interface AuthenticationStageOptions {
  readonly authenticator: Authenticator;
  /** Called for connections whose caller has an identity. */
  readonly onIdentified: (socket: Socket) => void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** Callers choose how often reviews fail, while the API server is away. */
const warningPauseMs = 10_000;

/** Finds out who the caller is, unless the path needs no identity. */
export function authentication(options: AuthenticationStageOptions): Stage {
  const { authenticator, onIdentified, telemetry, log } = options;
  const mayLog = createLogLimiter(options.clock, warningPauseMs);
  const identify = (context: RequestContext, result: AuthenticationResult): Failure | undefined => {
    telemetry.authenticated(result.type === "user" ? result.method : "none", result.type);
    if (result.type === "unreviewed" && mayLog("token")) {
      log.warn({ auditId: context.auditId, reason: result.reason }, "a token could not be reviewed");
    }
    const refusal = accept(context, result);
    keepConnection(context);
    return refusal;
  };
  // Connections are few: those without an identity are closed after the response.
  const keepConnection = ({ user, request, response }: RequestContext): void => {
    if (user === undefined || user === anonymousUser) response.shouldKeepAlive = false;
    else onIdentified(request.socket);
  };
  return (next) => (context) => {
    if (context.isOpen) {
      keepConnection(context);
      return next(context);
    }
    return chain(authenticator.authenticate(context.request), (result) => {
      const refusal = identify(context, result);
      return refusal === undefined ? next(context) : failed(refusal);
    });
  };
}

function accept(context: RequestContext, result: AuthenticationResult): Failure | undefined {
  switch (result.type) {
    case "refused":
      context.refusal = result.reason;
      return unauthorized;
    case "unreviewed":
      context.refusal = `the token could not be reviewed: ${result.reason}`;
      return unauthorized;
    case "busy":
      context.refusal = "too many tokens under review";
      return tooManyRequests;
    case "anonymous":
      context.user = anonymousUser;
      return undefined;
    case "user": {
      context.user = result.user;
      const header = impersonationHeader(context.request);
      if (header === undefined) {
        return undefined;
      }
      context.refusal = `impersonation header ${header}`;
      return { reason: "Forbidden", message: "impersonation is not supported by this server", details: {} };
    }
  }
}
