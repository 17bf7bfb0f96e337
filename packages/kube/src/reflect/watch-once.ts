import { ConnectionError } from "../api-error.ts";
import type { KubeClient } from "../client.ts";
import type { Clock } from "../clock.ts";
import type { KubeObject } from "../object.ts";
import { linesOf } from "./lines.ts";
import { readWatchEvent } from "./watch-event.ts";

export interface WatchEnd {
  /** What ended it; undefined when the server closed it in good order, or the caller aborted it. */
  readonly error: unknown;
  /** Whether it told of anything, be it a bookmark. */
  readonly sawEvent: boolean;
  /** Whether the server itself sent what ended it, so that it may send it again. */
  readonly isGarbage: boolean;
}

export interface WatchOptions {
  readonly client: KubeClient;
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly resourceVersion: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly silenceLimitMs: number;
  readonly watchMs: number;
  readonly onError: (error: unknown) => void;
  /** Told of each change in order; a string is the version of a bookmark. */
  readonly onEvent: (event: { type: "ADDED" | "MODIFIED" | "DELETED"; object: KubeObject } | string) => void;
}

/** One watch, from its version until it ends. Never rejects. */
export async function watchOnce(o: WatchOptions): Promise<WatchEnd> {
  const own = new AbortController();
  const onAbort = () => own.abort();
  o.signal.addEventListener("abort", onAbort);
  if (o.signal.aborted) own.abort();
  let silent = false;
  let cancel = () => {};
  const heard = () => {
    cancel();
    cancel = o.clock.after(o.silenceLimitMs, () => {
      silent = true;
      own.abort();
    });
  };
  let sawEvent = false;
  let isGarbage = false;
  const end = (error: unknown): WatchEnd => ({ error, sawEvent, isGarbage });
  try {
    const chunks = await o.client.stream({
      path: o.path,
      query: {
        ...o.query,
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion: o.resourceVersion,
        timeoutSeconds: Math.ceil((o.watchMs * (1 + o.random())) / 1000),
      },
      signal: own.signal,
    });
    heard();
    for await (const line of linesOf(noting(chunks, heard))) {
      if (o.signal.aborted) return end(undefined);
      isGarbage = true;
      const event = readWatchEvent(line);
      if (event.type === "ERROR") return end(event.error);
      isGarbage = false;
      if (event.type === "unknown") {
        o.onError(
          new ConnectionError("bad_response", `a watch of ${o.path} sent an event of type ${event.name}`),
        );
      } else {
        sawEvent = true;
        o.onEvent(event.type === "BOOKMARK" ? event.resourceVersion : event);
      }
    }
    return end(undefined);
  } catch (error) {
    if (o.signal.aborted) return end(undefined);
    if (!silent) return end(error);
    // Servers send bookmarks only of resources that have ever had an event.
    if (!sawEvent) return end(undefined);
    return end(
      new ConnectionError(
        "timeout",
        `a watch of ${o.path} was silent for ${String(o.silenceLimitMs)} ms`,
        error,
      ),
    );
  } finally {
    cancel();
    own.abort();
    o.signal.removeEventListener("abort", onAbort);
  }
}

async function* noting(
  chunks: AsyncIterable<Uint8Array>,
  heard: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) {
    heard();
    yield chunk;
  }
}
