import type { IncomingMessage } from "node:http";
import { type Failure, refused } from "./failure.ts";

/** What a proxy in front may have been asked to remove from a request on its way to us. */
const identityHeader = /^(authorization|x-remote-.*|impersonate-.*)$/;

/**
 * Rules that hold for every request before anything in it is believed: no tunnels (a 101 would hand the
 * caller the aggregator's connection), no bodies on reads (they smuggle a second request), and no Connection
 * header that names an identity header (an intermediary would drop that header and change who is asking).
 */
export function protocolProblem(
  request: IncomingMessage,
  isIdentityHeader: (name: string) => boolean,
): Failure | undefined {
  const { headers, method } = request;
  const connection = connectionTokens(headers.connection);
  if (headers.upgrade !== undefined || connection.includes("upgrade")) {
    return refused("this server does not upgrade connections");
  }
  const named = connection.find((token) => identityHeader.test(token) || isIdentityHeader(token));
  if (named !== undefined) {
    return refused("the Connection header must not name an identity header");
  }
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
  if (hasBody && (method === "GET" || method === "HEAD")) {
    return refused(`a ${method} request must not have a body`);
  }
  return undefined;
}

function connectionTokens(header: string | undefined): readonly string[] {
  if (header === undefined || header === "keep-alive") {
    return [];
  }
  return header.split(",").map((token) => token.trim().toLowerCase());
}

/** Header that would ask us to act as somebody else; nobody may. */
export function impersonationHeader(request: IncomingMessage): string | undefined {
  const { rawHeaders } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if ((name[0] === "i" || name[0] === "I") && name.toLowerCase().startsWith("impersonate-")) {
      return name.toLowerCase();
    }
  }
  return undefined;
}
