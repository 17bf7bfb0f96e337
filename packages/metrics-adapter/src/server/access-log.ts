import type { Clock } from "@plimsoll/kube";
import type { Logger } from "../logger.ts";
import type { Telemetry } from "../telemetry.ts";
import type { Exchange } from "./exchange.ts";

export interface ObserveOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** Counts and logs the exchange when its answer is out, or when its caller went away before. */
export function observe(exchange: Exchange, options: ObserveOptions): void {
  // Gone when the connection is.
  const sourceAddress = exchange.request.socket.remoteAddress;
  exchange.response.once("close", () => {
    const { request, response, info, user } = exchange;
    const durationMs = options.clock.nowMs() - exchange.receivedAtMs;
    const verb = info?.verb ?? "other";
    const code = response.headersSent ? response.statusCode : 499;
    options.telemetry.served({ api: exchange.api, verb, code, seconds: durationMs / 1000 });
    options.log.debug(
      {
        auditId: exchange.auditId,
        user: user?.name,
        groups: user?.groups,
        verb,
        method: request.method,
        uri: request.url,
        code,
        durationMs,
        sourceAddress,
        userAgent: request.headers["user-agent"],
        note: exchange.note,
        isComplete: response.writableFinished,
      },
      "request",
    );
  });
}
