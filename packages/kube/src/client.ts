export interface KubeRequest {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** From the root of the server, such as "/api/v1/pods"; without a query. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON, unless it is a string: that goes out as it is. */
  readonly body?: unknown;
  /** "application/json" unless told otherwise; a PATCH needs one. */
  readonly contentType?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /**
   * The whole of the request, its body included: 30 s by default. For a stream, the time until its headers; the
   * body may last for ever.
   */
  readonly timeoutMs?: number;
}

/** A connection to one API server with one set of credentials. */
export interface KubeClient {
  readonly server: string;
  /** The parsed JSON of the answer. Throws ApiError or ConnectionError. */
  request<T = unknown>(request: KubeRequest): Promise<T>;
  /** The bytes of the answer as they come. Throws as request() does, also while it is read. */
  stream(request: KubeRequest): Promise<AsyncIterable<Uint8Array>>;
  close(): Promise<void>;
}
