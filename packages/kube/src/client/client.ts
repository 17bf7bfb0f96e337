// The connection to an API server, as all that use it see it.
import type { ResponseMemory } from "./http/response-memory.ts";
import type { ListItems } from "./list-items.ts";

/** One request. */
export interface KubeRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root of the server, such as "/api/v1/pods"; without a query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON, unless it is a string: that goes out as it is. */
  readonly body?: unknown;
  /** "application/json" by default; a PATCH needs one. */
  readonly contentType?: string;
  readonly accept?: string;
  /**
   * Reads a response in protobuf; throws a ProtobufError for what it is not. With it the request accepts protobuf and JSON: a
   * server that does not have the former sends the latter. Streams are not read: whoever reads one looks at its `mediaType`.
   */
  readonly readProtobuf?: (bytes: Buffer) => unknown;
  /**
   * Hands on the items of a list one by one while the response arrives; it may have any length then. The result is the list
   * without them. A client that holds the whole list anyway may leave the items in the result.
   */
  readonly items?: ListItems;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /**
   * The whole of the request, its body included: 30 s by default. For a stream, the time until its headers; the
   * body may last for ever.
   */
  readonly timeoutMs?: number;
  /** A response that is longer is an error; the connection's limit by default. Not for streams. */
  readonly maxResponseBytes?: number;
  /** What large responses share; of too many at once the largest is an error. Not for streams. */
  readonly responseMemory?: ResponseMemory;
  /**
   * Called right before the request is sent on its connection; when it returns false, nothing is sent, and the request fails
   * with a ConnectionError of kind "aborted".
   */
  readonly maySend?: () => boolean;
}

/** The bytes of a response as they come. */
export interface ResponseStream extends AsyncIterable<Uint8Array> {
  /** Without parameters; undefined when the server did not say it, which means JSON. */
  readonly mediaType?: string;
}

/** A connection to one API server with one set of credentials. */
export interface KubeClient {
  readonly server: string;
  /** The parsed JSON of the response, or what `readProtobuf` made of it. Throws ApiError or ConnectionError. */
  request<T = unknown>(request: KubeRequest): Promise<T>;
  /** The bytes of the response as they come. Throws as request() does, also while it is read. */
  stream(request: KubeRequest): Promise<ResponseStream>;
  close(): Promise<void>;
}
