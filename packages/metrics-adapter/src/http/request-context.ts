// The context of one request.
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { User } from "@plimsoll/kube/serving";
import type { Representation } from "../api/negotiate.ts";
import type { RequestInfo } from "../api/request-info.ts";
import type { ApiName, Route } from "./route.ts";

/** One request and its response, with what the stages found out about it. */
export interface RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly auditId: string;
  readonly receivedAtMs: number;
  info: RequestInfo;
  route: Route | undefined;
  api: ApiName;
  /** The path needs no identity. */
  isOpen: boolean;
  user: User | undefined;
  representation: Representation;
  deadlineAtMs: number;
  /** Made for those who wait: a response that is cached needs none. */
  controller: AbortController | undefined;
  /** Why it was refused, where the caller must not see it. */
  refusal: string | undefined;
}

const unreadInfo: RequestInfo = {
  method: "",
  path: "",
  query: new URLSearchParams(),
  verb: "other",
  resource: undefined,
  groupVersion: undefined,
};

const json: Representation = { format: "json", conversion: undefined };

export function openContext(
  request: IncomingMessage,
  response: ServerResponse,
  nowMs: number,
): RequestContext {
  return {
    request,
    response,
    auditId: auditIdOf(request),
    receivedAtMs: nowMs,
    info: unreadInfo,
    route: undefined,
    api: "other",
    isOpen: false,
    user: undefined,
    representation: json,
    deadlineAtMs: Number.POSITIVE_INFINITY,
    controller: undefined,
    refusal: undefined,
  };
}

function auditIdOf(request: IncomingMessage): string {
  const given = request.headers["audit-id"];
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
