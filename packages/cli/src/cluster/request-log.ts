// The client that commands use: one timeout for all requests, ended by an interrupt, and each on record with -v.
import { orAborted } from "@plimsoll/component-base";
import type { KubeClient, KubeRequest } from "@plimsoll/kube";

export interface RequestSettings {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly nowMs: () => number;
  /** Called with a line for each request; undefined: without -v. */
  readonly log: ((line: string) => void) | undefined;
}

/** The same client with these settings. */
export function withSettings(client: KubeClient, settings: RequestSettings): KubeClient {
  const { timeoutMs, signal, nowMs, log } = settings;
  const set = (request: KubeRequest): KubeRequest => ({
    ...request,
    timeoutMs: request.timeoutMs ?? timeoutMs,
    signal: request.signal === undefined ? signal : AbortSignal.any([signal, request.signal]),
  });

  // A request whose connection is not open yet ends with that only: an interrupt does not wait for it.
  async function logged<R>(request: KubeRequest, run: () => Promise<R>): Promise<R> {
    if (log === undefined) return orAborted(signal, run());
    const startedMs = nowMs();
    let outcome = "ok";
    try {
      return await orAborted(signal, run());
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      log(
        `${request.method ?? "GET"} ${request.path}${queryText(request)} ${outcome} ${nowMs() - startedMs}ms`,
      );
    }
  }

  return {
    server: client.server,
    request: <T>(request: KubeRequest) => logged(request, () => client.request<T>(set(request))),
    stream: (request) => logged(request, () => client.stream(set(request))),
    close: () => client.close(),
  };
}

function queryText({ query }: KubeRequest): string {
  const parts = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return parts.length === 0 ? "" : `?${parts.map(([name, value]) => `${name}=${String(value)}`).join("&")}`;
}

function outcomeOf(error: unknown): string {
  const { code, kind } = error as { readonly code?: unknown; readonly kind?: unknown };
  return typeof code === "number" ? String(code) : typeof kind === "string" ? kind : "failed";
}
