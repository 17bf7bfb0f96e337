// Types of requests, responses and handlers.
import type { Clock } from "@plimsoll/component-base";
import type { Authorizer } from "../auth/access.ts";
import type { Rbac } from "../auth/rbac.ts";
import type { UserInfo } from "../auth/user.ts";
import type { ResourceRegistry } from "../resources/registry.ts";
import type { JsonRecord } from "../storage/json-value.ts";
import type { VersionedStore } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";

/** What serves watches, and reads that need not be current: the store, or a copy that may be behind it. */
export type WatchCache = Pick<VersionedStore, "version" | "get" | "list" | "eventsSince" | "subscribe">;

/** What every handler of a resource may use. */
export interface ApiContext {
  readonly store: VersionedStore;
  readonly cache: WatchCache;
  readonly registry: ResourceRegistry;
  readonly clock: Clock;
  readonly authorize: Authorizer;
  /** Undefined: roles and bindings are objects without effect. */
  readonly rbac: Rbac | undefined;
  readonly sequence: () => number;
  /** What `generateName` is completed with. */
  readonly nameSuffix: (prefix: string) => string;
  /** Whether controllers end pods gracefully and collect what deleted objects owned. */
  readonly controllersRun: boolean;
  readonly bookmarkIntervalMs: number;
}

/** A request whose user is known and whose body is read. */
export interface ApiRequest {
  readonly method: string;
  /** The path of the URL, as it was sent. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly user: UserInfo;
  readonly body: Buffer | string;
}

export type ApiResponse = ObjectResponse | TextResponse | BytesResponse | StreamResponse;

export interface ObjectResponse {
  readonly type: "object";
  readonly code: number;
  /** May be made at each look. */
  readonly object: JsonRecord;
  /** The same as JSON, where that is cheaper. */
  readonly text?: () => string;
  /** For the Warning header. */
  readonly warnings?: readonly string[];
  /** What a Table of this response would show; absent where there is no table to make. */
  readonly rows?: { readonly storage: string; readonly objects: readonly StoredObject[] };
}

export interface TextResponse {
  readonly type: "text";
  readonly code: number;
  readonly contentType: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface BytesResponse {
  readonly type: "bytes";
  readonly code: number;
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface StreamResponse {
  readonly type: "stream";
  /** Writes until the signal is aborted or finish is called. */
  readonly run: (sink: StreamSink) => void;
}

export interface StreamSink {
  /** A frame with its newline. */
  readonly write: (frame: string) => void;
  readonly finish: () => void;
  readonly signal: AbortSignal;
}

export function objectResponse(object: JsonRecord | StoredObject, code = 200): ObjectResponse {
  return { type: "object", code, object };
}
