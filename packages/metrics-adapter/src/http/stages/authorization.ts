// The stage that authorizes the request by SubjectAccessReviews.
import { chain } from "@plimsoll/component-base";
import {
  type Authorization,
  type Authorizer,
  anonymousUser,
  forbiddenText,
  type User,
} from "@plimsoll/kube/serving";
import { type Failure, unreviewed } from "../../api/failure.ts";
import { failed } from "../../api/reply.ts";
import type { RequestInfo } from "../../api/request-info.ts";
import { accessReview } from "../../auth/authorize.ts";
import type { Telemetry } from "../../telemetry/http.ts";
import type { RequestContext } from "../request-context.ts";
import type { Stage } from "../stage.ts";

export interface AuthorizationStageOptions {
  readonly server: Authorizer<RequestInfo>;
  readonly telemetry: Telemetry;
}

/** Lets pass what the caller may do. */
export function authorization({ server, telemetry }: AuthorizationStageOptions): Stage {
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
        context.refusal = decision.message;
        return unreviewed("the caller's access");
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
    return chain(server.authorize(user, info), (decision) => {
      const refusal = refusalOf(context, user, decision);
      return refusal === undefined ? next(context) : failed(refusal);
    });
  };
}

/** @upstream staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go#Forbidden */
function forbidden(user: User, info: RequestInfo, reason: string): Failure {
  const what = `${forbiddenText(user, accessReview(user, info))}${reason === "" ? "" : `: ${reason}`}`;
  const { resource } = info;
  if (resource === undefined) return { reason: "Forbidden", message: `forbidden: ${what}`, details: {} };
  const { group, name } = resource;
  const subject = `${resource.resource}.${group}${name === undefined ? "" : ` ${JSON.stringify(name)}`}`;
  return {
    reason: "Forbidden",
    message: `${subject} is forbidden: ${what}`,
    details: { ...(name === undefined ? {} : { name }), group, kind: resource.resource },
  };
}
