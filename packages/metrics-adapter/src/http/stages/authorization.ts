// The stage that authorizes the request by SubjectAccessReviews.
import { type Clock, chain, createLogLimiter, type Logger } from "@plimsoll/component-base";
import { type Authorization, type Authorizer, anonymousUser, type User } from "@plimsoll/kube/serving";
import { type Failure, internalError } from "../../api/failure.ts";
import { failed } from "../../api/reply.ts";
import type { RequestInfo } from "../../api/request-info.ts";
import type { Telemetry } from "../../telemetry/http.ts";
import type { RequestContext } from "../request-context.ts";
import type { Stage } from "../stage.ts";
import { forbidden } from "./forbidden.ts";

export interface AuthorizationStageOptions {
  readonly authorizer: Authorizer<RequestInfo>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** Callers choose how often reviews fail, while the API server is away. */
const warningPauseMs = 10_000;

/** Lets pass what the caller may do. */
export function authorization(options: AuthorizationStageOptions): Stage {
  const { authorizer, telemetry, log } = options;
  const mayLog = createLogLimiter(options.clock, warningPauseMs);
  const refusalOf = (context: RequestContext, user: User, decision: Authorization): Failure | undefined => {
    switch (decision.type) {
      case "allowed":
        telemetry.authorized(decision.source, "allowed");
        return undefined;
      case "denied":
        telemetry.authorized("review", "denied");
        return forbidden(user, context.info, decision.reason);
      case "unknown":
        telemetry.authorized("review", "error");
        if (mayLog("access")) {
          log.warn({ auditId: context.auditId, reason: decision.message }, "access could not be reviewed");
        }
        context.refusal = decision.message;
        return internalError("the access review failed, so nothing is allowed");
    }
  };
  return (next) => (context) => {
    const { info, user = anonymousUser } = context;
    if (context.isOpen) {
      telemetry.authorized("always-allowed", "allowed");
      return next(context);
    }
    if (user === anonymousUser) {
      // No review: every caller could make this server load the API server.
      telemetry.authorized("review", "denied");
      return failed(forbidden(user, info, ""));
    }
    return chain(authorizer.authorize(user, info), (decision) => {
      const refusal = refusalOf(context, user, decision);
      return refusal === undefined ? next(context) : failed(refusal);
    });
  };
}
