// The rules of the transport, which hold before anything in a request is trusted.
import type { IncomingMessage } from "node:http";
import { type Failure, refused } from "../../api/failure.ts";
import { failed } from "../../api/reply.ts";
import type { Telemetry } from "../../telemetry/http.ts";
import type { Stage } from "../stage.ts";

export interface ProtocolOptions {
  readonly isIdentityHeader: (name: string) => boolean;
  readonly telemetry: Telemetry;
}

export function protocolChecks({ isIdentityHeader, telemetry }: ProtocolOptions): Stage {
  return (next) => (context) => {
    const problem = protocolProblem(context.request, isIdentityHeader);
    if (problem === undefined) return next(context);
    telemetry.refused("protocol");
    return failed(problem);
  };
}

/** Headers that a caller could make an intermediary remove. */
const identityHeader = /^(authorization|x-remote-.*|impersonate-.*)$/;

/**
 * No tunnels (a 101 would give the caller the aggregator's connection), no bodies on reads (they smuggle a second
 * request), and no Connection header that names an identity header (an intermediary would remove that header, and
 * the caller would be another one).
 */
function protocolProblem(
  request: IncomingMessage,
  isIdentityHeader: (name: string) => boolean,
): Failure | undefined {
  const { headers, method } = request;
  if (request.httpVersionMajor !== 1) {
    return refused("this server speaks HTTP/1.1");
  }
  if (headers.host === undefined && request.httpVersionMinor > 0) {
    return refused("a request of HTTP/1.1 must have a Host header");
  }
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

/** The first impersonation header, which no caller may send. */
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
