// Counts and logs each request once.
import type { Clock, Logger } from "@plimsoll/component-base";
import type { Telemetry } from "../telemetry/http.ts";
import type { RequestContext } from "./request-context.ts";

export interface AccessLogOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** Counts and logs a request when its response is out, or when its caller goes away before. */
export function logAccess(context: RequestContext, { clock, log, telemetry }: AccessLogOptions): void {
  const isLogged = log.isLevelEnabled?.("debug") !== false;
  // It is unknown once the connection is closed.
  const sourceAddress = isLogged ? context.request.socket.remoteAddress : undefined;
  context.response.once("close", () => {
    const { request, response, info, user } = context;
    const durationMs = clock.nowMs() - context.receivedAtMs;
    const { verb } = info;
    const code = response.headersSent ? response.statusCode : 499;
    telemetry.served({ api: context.api, verb, code, seconds: durationMs / 1000 });
    if (!isLogged) return;
    log.debug(
      {
        auditId: context.auditId,
        user: user?.name,
        groups: user?.groups,
        verb,
        method: request.method,
        uri: request.url,
        code,
        durationMs,
        sourceAddress,
        userAgent: request.headers["user-agent"],
        refusal: context.refusal,
        isComplete: response.writableFinished,
      },
      "request",
    );
  });
}
