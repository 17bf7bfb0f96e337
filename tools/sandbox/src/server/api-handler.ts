// Handles requests whose user is known, whatever the transport: authorization, routing, rendering.
import { attributesOf } from "../auth/authorize.ts";
import { refusal } from "../auth/refusal.ts";
import type { RequestInfo } from "../auth/request-info.ts";
import type { TokenIssuer } from "../auth/token-issuer.ts";
import type { UserInfo } from "../auth/user.ts";
import type { ApiContext, ApiRequest } from "../rest/api-context.ts";
import { routeResource } from "../rest/resource-router.ts";
import { type DocumentRoutes, routePath } from "./path-routes.ts";
import { type RenderedResponse, renderResponse } from "./render.ts";

export interface ApiHandlerInput {
  readonly context: ApiContext;
  readonly tokens: TokenIssuer;
  readonly routes: DocumentRoutes;
}

/** Carries out a request that is allowed. @throws StatusError */
export function handleApiRequest(
  request: ApiRequest,
  info: RequestInfo,
  { context, tokens, routes }: ApiHandlerInput,
): RenderedResponse {
  const result = info.isResource
    ? routeResource(info, { context, tokens, request })
    : routePath(request, routes);
  return renderResponse(result, { context, request });
}

/** @throws StatusError with code 403 */
export function authorizeRequest(context: ApiContext, user: UserInfo, info: RequestInfo): void {
  const attributes = attributesOf(user, info);
  const { allowed, reason } = context.authorize(attributes);
  if (!allowed) throw refusal(attributes, reason);
}
