// The context of one request.
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { User } from "@plimsoll/kube/serving";
import type { Representation } from "../api/negotiate.ts";
import type { RequestInfo } from "../api/request-info.ts";
import type { ApiName, Route } from "./route.ts";

/** What the stages of the APIs read of a request; node's own fits. */
export interface ReceivedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** Where a response is written; node's own fits. */
export interface ResponseWriter {
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  shouldKeepAlive: boolean;
  /** @param headers Names and values in turn. */
  writeHead(code: number, headers: string[]): unknown;
  end(body: string | Buffer | undefined): unknown;
  once(event: "close", run: () => void): unknown;
  off(event: "close", run: () => void): unknown;
}

/** One request and its response, with what the stages found out about it. */
export interface ApiContext {
  readonly request: ReceivedRequest;
  readonly response: ResponseWriter;
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

/** One that came over a connection. */
export interface RequestContext extends ApiContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
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

export function openContext<Q extends ReceivedRequest, R extends ResponseWriter>(
  request: Q,
  response: R,
  { nowMs, newId = randomUUID }: { readonly nowMs: number; readonly newId?: () => string },
): ApiContext & { readonly request: Q; readonly response: R } {
  return {
    request,
    response,
    auditId: auditIdOf(request) ?? newId(),
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

function auditIdOf(request: ReceivedRequest): string | undefined {
  const given = request.headers["audit-id"];
  return typeof given === "string" && /^[\w.:-]{1,128}$/.test(given) ? given : undefined;
}
