// Reads documents over fetch, from the server that served the page. A failure is a value, in the server's words.
import { codeHeader, paths } from "@plimsoll/decisions";

/** What a request came to. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export interface Failure {
  /** Of HTTP; 0: no response came. */
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  /** What the reader may do about a 401: paste a token, or open the console again. */
  readonly needs?: "token" | "code";
}

export interface Client {
  /** The document at a path, below the root of the server. An aborted request never resolves. */
  get<T>(path: string, options?: GetOptions): Promise<Result<T>>;
  /** The text of it, as it is. */
  text(path: string, options?: GetOptions): Promise<Result<string>>;
  /** The bytes of a stream as they come. */
  open(path: string, options: GetOptions): Promise<Result<ReadableStream<Uint8Array>>>;
  /** Exchanges the one-time code of the address for a cookie. */
  exchange(code: string): Promise<Result<undefined>>;
  /** Sent with every later request; it is kept in memory only. */
  useToken(token: string): void;
}

export interface GetOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** `root` ends with a slash: the folder that `apis` is in. */
export function createClient(fetch: typeof globalThis.fetch, root: string): Client {
  let token: string | undefined;
  const request = async (path: string, accept: string, options: GetOptions): Promise<Result<Response>> => {
    const headers: Record<string, string> = { Accept: accept, ...options.headers };
    if (token !== undefined) headers["Authorization"] = `Bearer ${token}`;
    try {
      const response = await fetch(root + path, {
        headers,
        cache: "no-cache",
        redirect: "error",
        signal: options.signal ?? null,
      });
      return response.ok ? { ok: true, value: response } : { ok: false, failure: await failureOf(response) };
    } catch (error) {
      if (options.signal?.aborted) return new Promise(() => undefined);
      return { ok: false, failure: noResponse(error) };
    }
  };
  return {
    async get<T>(path: string, options: GetOptions = {}) {
      const response = await request(path, "application/json", options);
      return response.ok ? readBody(() => response.value.json() as Promise<T>, options) : response;
    },
    async text(path, options = {}) {
      const response = await request(path, "application/json", options);
      return response.ok ? readBody(() => response.value.text(), options) : response;
    },
    async open(path, options) {
      const response = await request(path, "text/event-stream", options);
      if (!response.ok) return response;
      const { body } = response.value;
      return body === null ? { ok: false, failure: noResponse("it has no body") } : { ok: true, value: body };
    },
    async exchange(code) {
      const response = await request(paths.session, "application/json", { headers: { [codeHeader]: code } });
      return response.ok ? { ok: true, value: undefined } : response;
    },
    useToken(given) {
      token = given;
    },
  };
}

/** The connection may end within the body. */
async function readBody<T>(read: () => Promise<T>, { signal }: GetOptions): Promise<Result<T>> {
  try {
    return { ok: true, value: await read() };
  } catch (error) {
    if (signal?.aborted) return new Promise(() => undefined);
    return { ok: false, failure: noResponse(error) };
  }
}

function noResponse(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  return { status: 0, reason: "NoResponse", message: `the server did not respond: ${message}` };
}

/** A longer message is a page of something in between. */
const maxMessage = 2_000;

async function failureOf(response: Response): Promise<Failure> {
  const { status, headers } = response;
  const body = await bodyOf(response);
  const reason = typeof body["reason"] === "string" ? body["reason"] : response.statusText;
  const message =
    typeof body["message"] === "string" ? body["message"].slice(0, maxMessage) : `HTTP ${status} ${reason}`;
  if (status !== 401) return { status, reason, message };
  const isCode = headers.get("www-authenticate")?.startsWith(codeHeader) === true;
  return { status, reason, message, needs: isCode ? "code" : "token" };
}

async function bodyOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  try {
    const body: unknown = await response.json();
    return typeof body === "object" && body !== null ? (body as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
