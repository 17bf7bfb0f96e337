// Fetches the metrics of a pod: one request, no redirects, no compression, and a limit of bytes.
import { DEFAULT_CIPHERS } from "node:tls";
import type { Clock } from "@plimsoll/component-base";
import { Agent, buildConnector, type Dispatcher } from "undici";
import type { Target } from "./target.ts";

/** Gets the chunks of a page as they come. */
export interface PageSink {
  /** A connection by TLS was opened for it. */
  connected?(): void;
  start(contentType: string): void;
  /** @returns false when nothing more is wanted */
  push(chunk: Uint8Array): boolean;
}

/** Why a pod gave no page. */
export class ScrapeError extends Error {
  override readonly name = "ScrapeError";
  /** The connection ended before a response began. */
  readonly isClosed: boolean;

  constructor(reason: string, isClosed = false) {
    super(reason);
    this.isClosed = isClosed;
  }
}

export interface PageFetcher {
  /** Resolves at the end of the page. @throws ScrapeError */
  fetch(target: Target, timeoutMs: number, sink: PageSink): Promise<void>;
  close(): Promise<void>;
}

export interface PageFetcherOptions {
  readonly clock: Clock;
  /** A longer page is cut off, and counts as failed. */
  readonly maxBytes: number;
  readonly userAgent: string;
  /** Certificates of pods that are served by https. */
  readonly tls: {
    /** Of each new connection: the file may have changed. Never rejects. Absent: those of the system. */
    readonly ca?: (() => Promise<string>) | undefined;
    readonly insecureSkipVerify: boolean;
  };
}

const accept = "application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
/** What one pod may say before its page. */
const maxHeaderBytes = 16_384;
/** Beyond them, chunks have 16 bytes or more: each takes as long as a line. */
const maxSmallChunks = 1_000;
/** Longer intervals have a connection for each scrape. */
const keepAliveMs = 15_000;

export function createPageFetcher({ clock, maxBytes, userAgent, tls }: PageFetcherOptions): PageFetcher {
  /** Addresses with new connections by TLS. */
  const connected = new Set<string>();
  const agentWith = (rejectUnauthorized: boolean): Agent =>
    new Agent({
      connections: 1,
      pipelining: 1,
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // The limit of time is over the whole of a request.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: connectorOf(rejectUnauthorized, tls.ca, connected),
    });
  const verified = agentWith(true);
  const unverified = agentWith(false);
  const headers = { accept, "accept-encoding": "identity", "user-agent": userAgent };
  return {
    async fetch(target, timeoutMs, sink) {
      try {
        await once(target, timeoutMs, sink);
      } catch (error) {
        // The pod closes a connection that was idle, at the moment in which it is used.
        if (!(error instanceof ScrapeError && error.isClosed)) throw error;
        await once(target, timeoutMs, sink);
      } finally {
        if (connected.size > 0 && connected.delete(addressOf(new URL(target.origin)))) sink.connected?.();
      }
    },
    close: async () => void (await Promise.all([verified.destroy(), unverified.destroy()])),
  };

  function once({ origin, path, access = {} }: Target, timeoutMs: number, sink: PageSink): Promise<void> {
    return new Promise((resolve, reject) => {
      const { authorization, insecureSkipVerify = tls.insecureSkipVerify } = access;
      const limits = { maxBytes, hasToken: authorization !== undefined };
      const handler = new PageHandler(sink, limits, (error) => {
        cancel();
        if (error === undefined) resolve();
        else reject(error);
      });
      const cancel = clock.after(timeoutMs, () => handler.end(`gave no whole page within ${timeoutMs} ms`));
      const sent = authorization === undefined ? headers : { ...headers, authorization };
      (insecureSkipVerify ? unverified : verified).dispatch(
        { origin, path, method: "GET", headers: sent },
        handler,
      );
    });
  }
}

/** An address of IPv6 has brackets in one of its places, and a default port is left out. */
function addressOf({ hostname, port }: { readonly hostname: string; readonly port: string }): string {
  return `${hostname.replaceAll(/[[\]]/g, "")} ${port || "443"}`;
}

function connectorOf(
  rejectUnauthorized: boolean,
  readCa: PageFetcherOptions["tls"]["ca"],
  connected: Set<string>,
): buildConnector.connector {
  // HTTP/2 has other limits. A key exchange over a field that the pod chooses can take 20 ms.
  const options = { rejectUnauthorized, allowH2: false, ciphers: `${DEFAULT_CIPHERS}:!kDHE` };
  let connect = buildConnector(options);
  let known: string | undefined;
  const renew = async (): Promise<void> => {
    const ca = await readCa?.();
    if (ca !== undefined && ca !== known) connect = buildConnector({ ...options, ca });
    known = ca;
  };
  return (target, done) => {
    if (target.protocol === "https:") connected.add(addressOf(target));
    void renew()
      .then(() => connect(target, done))
      .catch((error: Error) => done(error, null));
  };
}

interface PageLimits {
  readonly maxBytes: number;
  /** Of the request. */
  readonly hasToken: boolean;
}

/** Reads one response. Whatever happens, `settle` is called once. */
class PageHandler implements Dispatcher.DispatchHandler {
  readonly #sink: PageSink;
  readonly #limits: PageLimits;
  readonly #settle: (error?: ScrapeError) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #bytes = 0;
  #chunks = 0;
  #hasBegun = false;
  #isSettled = false;

  constructor(sink: PageSink, limits: PageLimits, settle: (error?: ScrapeError) => void) {
    this.#sink = sink;
    this.#limits = limits;
    this.#settle = settle;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isSettled) controller.abort(new Error("late"));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#hasBegun = true;
    const encoding = headers["content-encoding"] ?? "identity";
    const type = String(headers["content-type"] ?? "");
    if (status >= 300 && status < 400) this.end(`answers with a redirect (${status}), which is not followed`);
    else if (status !== 200) this.end(`answers with status ${status}${remedyOf(status, this.#limits)}`);
    else if (encoding !== "identity")
      this.end("sends a compressed page, which was not asked for: turn compression off");
    else if (!/^(?:text\/plain|application\/openmetrics-text)?(?:;|$)/.test(type.trim()))
      this.end(`sends ${type.slice(0, 60)}, which is not a page of metrics: correct live.path`);
    else this.#sink.start(type);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isSettled) return;
    this.#bytes += chunk.length;
    this.#chunks += 1;
    if (this.#bytes > this.#limits.maxBytes)
      this.end(`sends more than ${this.#limits.maxBytes} bytes: see --live-response-bytes`);
    else if (this.#chunks > maxSmallChunks + this.#bytes / 16) this.end("sends a page of tiny chunks");
    else if (!this.#sink.push(chunk)) this.#stop();
  }

  onResponseEnd(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#settle();
  }

  /** The rest does not matter. */
  #stop(): void {
    this.onResponseEnd();
    this.#controller?.abort(new Error("enough"));
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    const reason = reasonOf(error);
    this.end(reason, reason === closed && !this.#hasBegun);
  }

  end(reason: string, isClosed = false): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#settle(new ScrapeError(reason, isClosed));
    this.#controller?.abort(new Error(reason));
  }
}

function remedyOf(status: number, { hasToken }: PageLimits): string {
  if (status === 404) return ": correct live.path";
  if (status !== 401 && status !== 403) return "";
  return hasToken
    ? ": it refuses the token of live.tokenFile"
    : ": only a rule of the rules file can send a token, live.tokenFile";
}

const closed = "closed the connection";

/** In few words: it is read beside the name of the pod. */
function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ECONNREFUSED: "refuses the connection",
    ECONNRESET: closed,
    UND_ERR_SOCKET: closed,
    EHOSTUNREACH: "cannot be reached",
    ENETUNREACH: "cannot be reached",
    UND_ERR_HEADERS_OVERFLOW: "sends too long headers",
  };
  return reasons[code ?? ""] ?? `cannot be read: ${error.message.slice(0, 200)}`;
}
