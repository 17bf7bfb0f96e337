// The rules of the transport, which hold before anything in a request is trusted.
import type { IncomingMessage, RequestListener } from "node:http";
import { sendStatus } from "./status.ts";

/** Whether a header, in lower case, says who the caller is. */
export type IsIdentityHeader = (name: string) => boolean;

/** Refuses what breaks the rules, and closes its connection; all else goes to the handler. */
export function withProtocolChecks(
  handler: RequestListener,
  isIdentityHeader: IsIdentityHeader,
): RequestListener {
  return (request, response) => {
    const message = protocolProblem(request, isIdentityHeader);
    if (message === undefined) return handler(request, response);
    response.shouldKeepAlive = false;
    sendStatus(response, { code: 400, reason: "BadRequest", message });
  };
}

/** Headers that a caller could make an intermediary remove. */
const identityHeader = /^(authorization|x-remote-.*|impersonate-.*)$/;

/**
 * No tunnels (a 101 would give the caller the aggregator's connection), no bodies on reads (they smuggle a second
 * request), and no Connection header that names an identity header (an intermediary would remove that header, and
 * the caller would be another one).
 */
export function protocolProblem(
  request: IncomingMessage,
  isIdentityHeader: IsIdentityHeader,
): string | undefined {
  const { headers, method } = request;
  if (request.httpVersionMajor !== 1) return "this server speaks HTTP/1.1";
  if (headers.host === undefined && request.httpVersionMinor > 0)
    return "a request of HTTP/1.1 must have a Host header";
  const connection = connectionTokens(headers.connection);
  if (headers.upgrade !== undefined || connection.includes("upgrade"))
    return "this server does not upgrade connections";
  const named = connection.find((token) => identityHeader.test(token) || isIdentityHeader(token));
  if (named !== undefined) return "the Connection header must not name an identity header";
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
  if (hasBody && (method === "GET" || method === "HEAD")) return `a ${method} request must not have a body`;
  return undefined;
}

function connectionTokens(header: string | undefined): readonly string[] {
  if (header === undefined || header === "keep-alive") return [];
  return header.split(",").map((token) => token.trim().toLowerCase());
}

/** The first impersonation header, which no caller may send. */
export function impersonationHeader(request: IncomingMessage): string | undefined {
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if ((name[0] === "i" || name[0] === "I") && name.toLowerCase().startsWith("impersonate-"))
      return name.toLowerCase();
  }
  return undefined;
}
