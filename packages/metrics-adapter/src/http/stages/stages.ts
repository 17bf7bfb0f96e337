// The stages in the order in which every request passes them.
import type { CacheMeter, Clock, Logger } from "@plimsoll/component-base";
import type { Authorizer } from "@plimsoll/kube/serving";
import type { RequestInfo } from "../../api/request-info.ts";
import type { Telemetry } from "../../telemetry/http.ts";
import type { ApiContext } from "../request-context.ts";
import type { Router } from "../route.ts";
import { type Handler, pipeline, type Stage } from "../stage.ts";
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

/** What the stages need that are not about connections and identities. */
export interface ApiStagesOptions {
  readonly isAlwaysAllowed: (path: string) => boolean;
  readonly router: Router;
  readonly limiter: InFlightLimiter;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, "refused">;
  readonly meter?: CacheMeter | undefined;
}

export interface StagesOptions extends ApiStagesOptions, AuthenticationStageOptions {
  readonly authorizer: Authorizer<RequestInfo>;
  readonly isIdentityHeader: (name: string) => boolean;
  readonly endpoints: Endpoints;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** The stages that are about connections and identities. */
type ConnectionStages<C extends ApiContext> = Readonly<
  Record<"protocolChecks" | "authentication" | "authorization" | "endpoints", Stage<C>>
>;

/** The way of every request over a connection. */
export function createStages(options: StagesOptions): Handler {
  return inOrder(options, {
    protocolChecks: protocolChecks(options),
    authentication: authentication(options),
    authorization: authorization(options),
    endpoints: endpoints(options.endpoints),
  });
}

/** The way of a request that comes over no connection and has no identity. */
export function createApiStages(options: ApiStagesOptions): Handler<ApiContext> {
  return inOrder(options, undefined);
}

/** Authentication comes before the limits: callers without an identity use none of them. */
function inOrder<C extends ApiContext>(
  options: ApiStagesOptions,
  connection: ConnectionStages<C> | undefined,
): Handler<C> {
  const stages = [
    connection?.protocolChecks,
    requestInfo<C>(options),
    connection?.authentication,
    inFlightLimits<C>(options),
    deadline<C>(options),
    connection?.authorization,
    connection?.endpoints,
    negotiation,
    responseCache,
  ];
  return pipeline<C>(
    stages.filter((stage) => stage !== undefined),
    provider,
  );
}
