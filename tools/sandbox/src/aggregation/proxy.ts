// Proxies requests to aggregated API servers.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { UserInfo } from "../auth/user.ts";
import { StatusError, serviceUnavailable } from "../errors/status-error.ts";
import type { ProxyRequest } from "../server/request-handler.ts";
import { respondError } from "../server/respond.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { findAggregated } from "./api-service.ts";
import type { BackendClient } from "./backend-client.ts";
import { resolveService, type ServiceRouting } from "./resolve-service.ts";

const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
]);

/** The error that kube-apiserver returns when the backend cannot be reached. */
const unavailableMessage = "the server is currently unable to handle the request";

/**
 * Passes requests for an aggregated group-version on to its backend, as the authenticated user.
 *
 * @upstream kube-aggregator/pkg/apiserver/handler_proxy.go#ServeHTTP
 */
export function createProxy(options: {
  store: ObjectStore;
  backends: BackendClient;
  routing: ServiceRouting | undefined;
}): ProxyRequest {
  return (request, response, { url, user, auditId }) => {
    const match = /^\/apis\/([^/]+)\/([^/]+)(?:\/|$)/.exec(url.pathname);
    const backend =
      match === null ? undefined : findAggregated(options.store, match[1] ?? "", match[2] ?? "");
    if (backend === undefined) return false;
    const resolution = resolveService(options.store, backend.service, options.routing);
    if (!backend.available || !resolution.ok) {
      respondError(serviceUnavailable(unavailableMessage), response);
      return true;
    }
    const upstream = options.backends.open({
      backend,
      endpoint: resolution.endpoint,
      method: request.method ?? "GET",
      path: url.pathname + url.search,
      headers: { ...forwardedHeaders(request), ...remoteHeaders(user), "audit-id": auditId },
    });
    upstream.on("error", (error) => {
      respondError(serviceUnavailable(`error trying to reach service: ${error.message}`), response);
    });
    upstream.once("response", (reply) => relay(reply, response));
    response.once("close", () => upstream.destroy());
    request.pipe(upstream);
    return true;
  };
}

/** X-Remote-* for a user, as the backend's request-header authentication reads them. */
export function remoteHeaders(user: Pick<UserInfo, "username" | "groups" | "extra">): OutgoingHttpHeaders {
  const extra = Object.entries(user.extra).map(
    ([key, values]) => [`x-remote-extra-${encodeURIComponent(key)}`, [...values]] as const,
  );
  return {
    "x-remote-user": user.username,
    ...(user.groups.length === 0 ? {} : { "x-remote-group": [...user.groups] }),
    ...Object.fromEntries(extra),
  };
}

// A client must not choose who it is: its own credentials and X-Remote-* end here.
function forwardedHeaders(request: IncomingMessage): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(request.headers)) {
    const secret =
      name === "authorization" || name.startsWith("x-remote-") || name.startsWith("impersonate-");
    if (!secret && !hopByHop.has(name)) headers[name] = value;
  }
  return headers;
}

function relay(reply: IncomingMessage, response: ServerResponse): void {
  const code = reply.statusCode ?? 502;
  if (code >= 300 && code < 400 && code !== 304) {
    reply.resume();
    const message = "the backend attempted to redirect this request, which is not permitted";
    respondError(new StatusError({ code: 502, reason: "InternalError", message }), response);
    return;
  }
  const headers = Object.entries(reply.headers).filter(([name]) => !hopByHop.has(name));
  response.writeHead(code, Object.fromEntries(headers));
  // A backend that breaks off must not look like a complete response.
  reply.on("error", () => response.destroy());
  reply.pipe(response);
}
