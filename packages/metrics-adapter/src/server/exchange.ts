import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { User } from "@plimsoll/kube/serving";
import type { RequestInfo } from "../server/request-info.ts";

/** One request and its answer, with what was found out about it on the way, for the log and the metrics. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly auditId: string;
  readonly receivedAtMs: number;
  info: RequestInfo | undefined;
  user: User | undefined;
  /** Which API it was for: a fixed set, fit for a metric label. */
  api: ApiName;
  /** Why it was refused, where that is not for the caller to know. */
  note: string | undefined;
}

export type ApiName = "custom" | "external" | "resource" | "discovery" | "health" | "other";

export function openExchange(request: IncomingMessage, response: ServerResponse, nowMs: number): Exchange {
  return {
    request,
    response,
    auditId: auditIdOf(request),
    receivedAtMs: nowMs,
    info: undefined,
    user: undefined,
    api: "other",
    note: undefined,
  };
}

function auditIdOf(request: IncomingMessage): string {
  const given = request.headers["audit-id"];
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
