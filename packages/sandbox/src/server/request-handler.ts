// Handles every HTTP request: authentication, authorization, routing.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { authenticate } from "../auth/authenticate.ts";
import { attributesOf } from "../auth/authorize.ts";
import { impersonated } from "../auth/impersonate.ts";
import type { TokenIssuer } from "../auth/token-issuer.ts";
import type { UserInfo } from "../auth/user.ts";
import type { ApiContext, ApiRequest } from "../rest/api-context.ts";
import { readBody } from "../rest/request-body.ts";
import { parseRequest, type RequestInfo } from "../rest/request-info.ts";
import { routeResource } from "../rest/resource-router.ts";
import { badRequest, forbidden, StatusError } from "../rest/status-error.ts";
import { type DocumentRoutes, routePath } from "./path-routes.ts";
import { respond, respondError } from "./respond.ts";

/** Takes over requests for a group-version that a backend serves; false when it is not one of those. */
export type ProxyRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  options: ProxyInput,
) => boolean;

export interface ProxyInput {
  readonly url: URL;
  readonly user: UserInfo;
  readonly auditId: string;
}

export interface HandlerInput {
  readonly context: ApiContext;
  readonly tokens: TokenIssuer;
  readonly routes: DocumentRoutes;
  readonly proxy: ProxyRequest;
}

export function createRequestHandler(input: HandlerInput) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response, input).catch((error: unknown) => respondError(error, response));
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  input: HandlerInput,
): Promise<void> {
  const { context, tokens } = input;
  const url = parseUrl(request.url);
  const auditId = [request.headers["audit-id"]].flat()[0] ?? randomUUID();
  response.setHeader("audit-id", auditId);
  const caller = authenticate(request, tokens, context.clock.nowMs());
  const user = impersonated(caller, request.headers, context.authorize);
  const method = request.method ?? "GET";
  const info = parseRequest(method, url);
  authorizeRequest(context, user, info);
  if (input.proxy(request, response, { url, user, auditId })) return;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([key, value]) => [key, [value].flat()[0]]),
  );
  const body = await readBody(request);
  const apiRequest: ApiRequest = { method, url, query: url.searchParams, headers, user, body };
  const result = info.isResource
    ? routeResource(info, { context, tokens, request: apiRequest })
    : routePath(apiRequest, input.routes);
  respond(result, { context, request: apiRequest, response });
}

function parseUrl(text = "/"): URL {
  try {
    return new URL(text, "https://sandbox");
  } catch {
    throw badRequest(`invalid URL ${JSON.stringify(text)}`);
  }
}

function authorizeRequest(context: ApiContext, user: UserInfo, info: RequestInfo): void {
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
