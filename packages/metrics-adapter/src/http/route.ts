// What the router finds for a request below /apis.
import type { Awaitable } from "@plimsoll/component-base";
import type { Conversion } from "../api/negotiate.ts";
import type { Reply } from "../api/reply.ts";
import type { RequestInfo } from "../api/request-info.ts";
import type { ResponseCache } from "./response-cache.ts";

/** A fixed set, fit for a metric label. */
export type ApiName = "custom" | "external" | "resource" | "discovery" | "health" | "other";

/**
 * Metric requests have a limit of their own, so that they never delay discovery and health; those that are handed on
 * have another one, so that no other adapter delays our own metrics.
 */
export type RequestKind = "metrics" | "federated" | "system";

export interface Route {
  readonly api: ApiName;
  readonly kind: RequestKind;
  readonly conversions: readonly Conversion[];
  readonly cache: ResponseCache | undefined;
  run(request: RouteRequest): Awaitable<Reply>;
}

export interface RouteRequest {
  readonly info: RequestInfo;
  readonly conversion: Conversion | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Aborts at the deadline, or when the caller goes away. */
  readonly signal: () => AbortSignal;
  readonly auditId: string;
  /** It comes from an adapter that handed it on to us. */
  readonly isHandedOn: boolean;
}

/** Undefined: the path does not lie below /apis. */
export type Router = (info: RequestInfo) => Route | undefined;
