// Sends failures in the server's words.
import type { IncomingMessage, ServerResponse } from "node:http";
import { securityHeaders } from "@plimsoll/component-base/page";
import { type Failure, statusOf } from "@plimsoll/decisions/serve";

export function sendFailure(
  request: IncomingMessage,
  response: ServerResponse,
  failed: Failure,
  headers: Readonly<Record<string, string>> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(statusOf(failed)));
  response.writeHead(failed.code, {
    ...securityHeaders,
    "Cache-Control": "no-store",
    "Content-Type": "application/json",
    "Content-Length": bytes.length,
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : bytes);
}
