// Handles every HTTP request: authentication, aggregation, and what the API server does itself.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { authenticate, impersonated } from "../auth/authenticate.ts";
import { parseRequest } from "../auth/request-info.ts";
import type { UserInfo } from "../auth/user.ts";
import { badRequest } from "../errors/status-error.ts";
import { readBody } from "../rest/request-body.ts";
import { type ApiHandlerInput, authorizeRequest, handleApiRequest } from "./api-handler.ts";
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

export interface HandlerInput extends ApiHandlerInput {
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
  const target = { method: request.method ?? "GET", path: url.pathname, query: url.searchParams };
  const info = parseRequest(target.method, target);
  authorizeRequest(context, user, info);
  if (input.proxy(request, response, { url, user, auditId })) return;
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([key, value]) => [key, [value].flat()[0]]),
  );
  const body = await readBody(request);
  respond(handleApiRequest({ ...target, headers, user, body }, info, input), response);
}

function parseUrl(text = "/"): URL {
  try {
    return new URL(text, "https://sandbox");
  } catch {
    throw badRequest(`invalid URL ${JSON.stringify(text)}`);
  }
}
