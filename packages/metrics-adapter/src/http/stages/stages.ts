// The stages in the order in which every request passes them.
import { type CacheMeter, type Clock, chain } from "@plimsoll/component-base";
import { hopHeader } from "@plimsoll/federation";
import { type InFlightLimiter, protocolProblem, type SecureServer } from "@plimsoll/kube/serving";
import { methodNotAllowed, notAcceptable, refused, routeNotFound } from "../../api/failure.ts";
import { acceptedMediaTypes, negotiate } from "../../api/negotiate.ts";
import { failed } from "../../api/reply.ts";
import type { RequestInfo } from "../../api/request-info.ts";
import type { Telemetry } from "../../telemetry/http.ts";
import type { ApiContext, RequestContext } from "../request-context.ts";
import type { RequestKind, Router } from "../route.ts";
import { type Handler, pipeline, type Stage } from "../stage.ts";
import { type AuthenticationStageOptions, authentication } from "./authentication.ts";
import { authorization } from "./authorization.ts";
import { deadline, signalOf } from "./deadline.ts";
import { inFlightLimits } from "./in-flight-limits.ts";
import { requestInfo } from "./request-info.ts";

/** What the stages need that are not about connections and identities. */
export interface ApiStagesOptions {
  readonly isAlwaysAllowed: (path: string) => boolean;
  readonly router: Router;
  readonly limiter: InFlightLimiter<RequestKind>;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, "refused">;
  readonly meter?: CacheMeter | undefined;
}

export interface StagesOptions extends ApiStagesOptions, AuthenticationStageOptions {
  readonly server: SecureServer<RequestInfo>;
  readonly endpoints: Endpoints;
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

/** Writes the response by itself. */
type Endpoints = (context: RequestContext) => void;

/** Hands over what lies outside of /apis: health, metrics, version, OpenAPI and unknown paths. */
function endpoints(serve: Endpoints): Stage {
  return (next) => (context) => {
    if (context.route !== undefined) return next(context);
    serve(context);
    return "sent";
  };
}

/** The rules of the transport, which hold before anything in a request is trusted. */
function protocolChecks({ server, telemetry }: StagesOptions): Stage {
  return (next) => (context) => {
    const problem = protocolProblem(context.request, server.isIdentityHeader);
    if (problem === undefined) return next(context);
    telemetry.refused("protocol");
    return failed(refused(problem));
  };
}

/** Chooses the representation that the caller accepts. The APIs are read-only. */
export const negotiation =
  <C extends ApiContext>(next: Handler<C>): Handler<C> =>
  (context) => {
    if (context.info.method !== "GET") return failed(methodNotAllowed);
    const representation = negotiate(context.request.headers.accept, context.route?.conversions ?? []);
    if (representation === undefined) return failed(notAcceptable(acceptedMediaTypes));
    context.representation = representation;
    return next(context);
  };

/** Queries the provider of the route. */
export const provider: Handler<ApiContext> = (context) => {
  const { info, route, representation, request } = context;
  if (route === undefined) return failed(routeNotFound);
  return route.run({
    info,
    conversion: representation.conversion,
    ifNoneMatch: request.headers["if-none-match"],
    signal: () => signalOf(context),
    auditId: context.auditId,
    isHandedOn: request.headers[hopHeader] !== undefined,
  });
};

/** Ends a request whose response is cached. */
export const responseCache =
  <C extends ApiContext>(next: Handler<C>): Handler<C> =>
  (context) => {
    const { info, route } = context;
    const cache = route?.cache;
    if (cache === undefined) return next(context);
    const cached = cache.find(info);
    if (cached !== undefined) return cached;
    return chain(next(context), (outcome) => (outcome === "sent" ? outcome : cache.offer(info, outcome)));
  };
