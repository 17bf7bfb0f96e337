// The stages in the order in which every request passes them.
import type { CacheMeter, Clock, Logger } from "@plimsoll/component-base";
import type { Authorizer } from "@plimsoll/kube/serving";
import type { RequestInfo } from "../../api/request-info.ts";
import type { Telemetry } from "../../telemetry/http.ts";
import type { Router } from "../route.ts";
import { type Handler, pipeline } from "../stage.ts";
import { type AuthenticationStageOptions, authentication } from "./authentication.ts";
import { authorization } from "./authorization.ts";
import { deadline } from "./deadline.ts";
import { type Endpoints, endpoints } from "./endpoints.ts";
import { type InFlightLimiter, inFlightLimits } from "./in-flight-limits.ts";
import { negotiation } from "./negotiation.ts";
import { protocolChecks } from "./protocol-checks.ts";
import { provider } from "./provider.ts";
import { requestInfo } from "./request-info.ts";
import { responseCache } from "./response-cache.ts";

export interface StagesOptions extends AuthenticationStageOptions {
  readonly authorizer: Authorizer<RequestInfo>;
  readonly isAlwaysAllowed: (path: string) => boolean;
  readonly isIdentityHeader: (name: string) => boolean;
  readonly router: Router;
  readonly endpoints: Endpoints;
  readonly limiter: InFlightLimiter;
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
  readonly meter?: CacheMeter | undefined;
}

/** The way of every request. Authentication comes before the limits: callers without an identity use none of them. */
export function createStages(options: StagesOptions): Handler {
  return pipeline(
    [
      protocolChecks(options),
      requestInfo(options),
      authentication(options),
      inFlightLimits(options),
      deadline(options),
      authorization(options),
      endpoints(options.endpoints),
      negotiation,
      responseCache,
    ],
    provider,
  );
}
