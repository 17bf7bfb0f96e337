// Handles requests whose user is known, whatever the transport: authorization, routing, rendering.
import { attributesOf } from "../auth/authorize.ts";
import type { RequestInfo } from "../auth/request-info.ts";
import type { TokenIssuer } from "../auth/token-issuer.ts";
import type { UserInfo } from "../auth/user.ts";
import { forbidden, StatusError } from "../errors/status-error.ts";
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
  const decision = context.authorize(attributesOf(user, info));
  if (decision.allowed) return;
  const reason = decision.reason === undefined ? "" : `: ${decision.reason}`;
  if (!info.isResource) {
    const message = `forbidden: User "${user.username}" cannot ${info.verb} path "${info.path}"${reason}`;
    throw new StatusError({ code: 403, reason: "Forbidden", message, details: {} });
  }
  const resource = info.subresource === undefined ? info.resource : `${info.resource}/${info.subresource}`;
  const scope =
    info.namespace === undefined ? "at the cluster scope" : `in the namespace "${info.namespace}"`;
  const why = `User "${user.username}" cannot ${info.verb} resource "${resource}" in API group "${info.group}" ${scope}`;
  throw forbidden({ group: info.group, resource: info.resource }, info.name ?? "", why + reason);
}
