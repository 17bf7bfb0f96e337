// What servers on the network receive and respond.

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
  /** When it left its process, in the time of the simulation; absent for what actors do at once. */
  readonly sentAtMs?: number;
}

/** What a server responds: a text, or a stream of texts that lasts until it is ended or aborted. */
export type ServerResponse = TextResponse | StreamResponse;

export interface TextResponse {
  readonly code: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface StreamResponse {
  readonly code: 200;
  /** Called once. `write` and `end` may be called at any time until `signal` is aborted. */
  readonly stream: (sink: ResponseSink) => void;
}

/** Where a server writes a stream. */
export interface ResponseSink {
  readonly write: (text: string) => void;
  readonly end: () => void;
  readonly signal: AbortSignal;
}

/** A server on the network: the API server, or an adapter. It takes effect when it is called. */
export type Server = (request: ServerRequest) => ServerResponse | Promise<ServerResponse>;
