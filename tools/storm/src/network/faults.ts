// What can happen to a request or a watch on the network.
import type { Random } from "../random/random.ts";
import type { ServerRequest } from "./server.ts";

/** What becomes of one request. */
export type RequestFault =
  /** It never reaches the server; its connection is reset at once, or is silent until the caller's time is over. */
  | { readonly type: "lost-before"; readonly isReset?: boolean }
  /** It takes effect, but the response is lost in the same two ways. */
  | { readonly type: "lost-after"; readonly isReset?: boolean }
  | { readonly type: "delay"; readonly requestMs: number; readonly responseMs: number }
  | { readonly type: "status"; readonly code: RefusalCode; readonly retryAfterSeconds?: number };

/** With what the API server refuses a request before it looks at it. */
export type RefusalCode = 409 | 410 | 429 | 500 | 503;

/** What becomes of one watch. */
export type WatchFault =
  /** Nothing comes any more, and neither side notices. It stays so when the fault is removed. */
  | { readonly type: "half-open" }
  | { readonly type: "cut" }
  | { readonly type: "no-bookmarks" }
  | { readonly type: "duplicates" }
  | { readonly type: "delay"; readonly ms: number };

/** An item of a list as its reader gets it. */
export interface ItemFault {
  /** Its assumed size on the wire. */
  readonly bytes: number;
  /** What it has is not JSON. */
  readonly isGarbage?: boolean;
}

/** Names an item of a list. */
export interface ListedItem {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Decides the fate of requests and watches while it is in place. `random` belongs to the request: draw from a stream of it with
 * the name of the fault, so that other faults do not change what this one draws.
 */
export interface NetworkFault {
  readonly ofRequest?: (request: ServerRequest, random: Random) => RequestFault | undefined;
  readonly ofWatch?: (request: ServerRequest, random: Random) => WatchFault | undefined;
  readonly ofItem?: (request: ServerRequest, item: ListedItem) => ItemFault | undefined;
}

const reasons: Readonly<Record<RefusalCode, string>> = {
  409: "Conflict",
  410: "Expired",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
};

/** The Status object of a refusal, as JSON. */
export function refusalBody(code: RefusalCode): string {
  const reason = reasons[code];
  return JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `the network of the simulation refuses: ${reason}`,
    reason,
    code,
  });
}
