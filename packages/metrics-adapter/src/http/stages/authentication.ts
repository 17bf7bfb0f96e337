// The stage that authenticates the caller.
import { chain } from "@plimsoll/component-base";
import {
  type AuthenticationResult,
  anonymousUser,
  impersonationHeader,
  type SecureServer,
} from "@plimsoll/kube/serving";
import { type Failure, tooManyRequests, unauthorized, unreviewed } from "../../api/failure.ts";
import { failed } from "../../api/reply.ts";
import type { RequestInfo } from "../../api/request-info.ts";
import type { Telemetry } from "../../telemetry/http.ts";
import type { RequestContext } from "../request-context.ts";
import type { Stage } from "../stage.ts";

export interface AuthenticationStageOptions {
  readonly server: Pick<SecureServer<RequestInfo>, "authenticate" | "keep">;
  /** No connection stays open then. */
  readonly isDraining: () => boolean;
  readonly telemetry: Telemetry;
}

/** Finds out who the caller is, unless the path needs no identity. */
export function authentication({ server, isDraining, telemetry }: AuthenticationStageOptions): Stage {
  const identify = (context: RequestContext, result: AuthenticationResult): Failure | undefined => {
    telemetry.authenticated(result.type === "user" ? result.method : "none", result.type);
    if (result.type === "user" && !isDraining()) server.keep(context.request, result.user.name);
    return accept(context, result);
  };
  return (next) => (context) => {
    if (context.isOpen) return next(context);
    return chain(server.authenticate(context.request), (result) => {
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
      context.refusal = `could not check the token: ${result.reason}`;
      return unreviewed("the caller's token");
    case "busy":
      context.refusal = "too many tokens under review";
      return tooManyRequests;
    case "anonymous":
      context.user = anonymousUser;
      return undefined;
    case "user": {
      context.user = result.user;
      const header = impersonationHeader(context.request);
      if (header === undefined) return undefined;
      context.refusal = `impersonation header ${header}`;
      return { reason: "Forbidden", message: "impersonation is not supported by this server", details: {} };
    }
  }
}
