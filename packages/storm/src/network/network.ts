// The network between processes and servers: every request takes time, and may fail on either way.
import type { KubeClient } from "@plimsoll/kube";
import type { SimulatedProcess } from "../process/simulated-process.ts";

/** A request as it reaches a server. */
export interface ServerRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  /** As it was sent. */
  readonly body: string | undefined;
  /** Who sent it: a process, or an actor such as "user" or "gitops". */
  readonly caller: string;
}

/** What a server responds: a text, or a stream of texts that lasts until it is ended or aborted. */
export type ServerResponse =
  | {
      readonly code: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | {
      readonly code: 200;
      /** Called once. `write` and `end` may be called at any time until `signal` is aborted. */
      readonly stream: (sink: {
        readonly write: (text: string) => void;
        readonly end: () => void;
        readonly signal: AbortSignal;
      }) => void;
    };

/** A server on the network: the API server, or an adapter. It takes effect when it is called. */
export type Server = (request: ServerRequest) => ServerResponse | Promise<ServerResponse>;

/** What becomes of one request. */
export type RequestFault =
  | { readonly type: "lost-before" }
  | { readonly type: "lost-after" }
  | { readonly type: "delay"; readonly requestMs: number; readonly responseMs: number }
  | { readonly type: "status"; readonly code: 409 | 410 | 429 | 500 | 503; readonly retryAfterSeconds?: number };

/** What becomes of one watch. */
export type WatchFault =
  | { readonly type: "half-open" }
  | { readonly type: "cut" }
  | { readonly type: "no-bookmarks" }
  | { readonly type: "duplicates" }
  | { readonly type: "delay"; readonly ms: number };

/** Decides the fate of requests and watches while it is in place. */
export interface NetworkFault {
  readonly ofRequest?: (request: ServerRequest) => RequestFault | undefined;
  readonly ofWatch?: (request: ServerRequest) => WatchFault | undefined;
}

export interface Network {
  /** A client of `server` for a process: its requests take time, its responses pass `process.deliver`. */
  clientOf(process: SimulatedProcess, server: Server): KubeClient;
  /** Puts a fault in place; also open watches are looked at again. Returns what removes it. */
  add(fault: NetworkFault): () => void;
}
