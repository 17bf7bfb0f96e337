// One watch of a collection, from its version until it ends.
import type { Clock } from "@plimsoll/component-base";
import { ConnectionError } from "../client/api-error.ts";
import type { KubeClient, ResponseStream } from "../client/client.ts";
import { type Instant, instantOf } from "../leases/instant.ts";
import { protobufMediaType, protobufOrJson } from "../protobuf/index.ts";
import { framesOf } from "./frames.ts";
import { linesOf } from "./lines.ts";
import type { ProtobufKind } from "./protobuf-kind.ts";
import { type ObjectEvent, readProtobufEvent, readWatchEvent, type WatchEvent } from "./watch-event.ts";

/** A change, or the version of a bookmark. */
export type WatchedEvent = ObjectEvent | string;

/** How a watch ended. */
export interface WatchEnd {
  /** What ended it; undefined when the server closed it in good order, or the caller aborted it. */
  readonly error: unknown;
  /** Whether there was any event, be it a bookmark. */
  readonly sawEvent: boolean;
  /** Whether the server itself sent what ended it, so that it may send the same once more. */
  readonly isGarbage: boolean;
  /** When the server was heard last; what happened to it since is unknown. */
  readonly heardAt: Instant;
}

/** What is watched from which version, and who is notified. */
export interface WatchOptions {
  readonly client: KubeClient;
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly resourceVersion: string;
  /** See `ReflectorOptions`. */
  readonly protobuf?: ProtobufKind | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** An event with a larger object is not read whole. */
  readonly maxItemBytes: number;
  readonly silenceLimitMs: number;
  readonly watchMs: number;
  readonly onError: (error: unknown) => void;
  /** The server was heard: an accepted watch, an event or a bookmark. */
  readonly onContact: () => void;
  /** Called with each event in order. */
  readonly onEvent: (event: WatchedEvent) => void;
}

/** Aborts when the caller does, or when nothing was received for too long. */
interface SilenceLimit {
  readonly signal: AbortSignal;
  readonly isSilent: boolean;
  /** When there was activity last, or it was created. */
  readonly activeAt: Instant;
  activity(): void;
  end(): void;
}

function createSilenceLimit({ clock, signal, silenceLimitMs }: WatchOptions): SilenceLimit {
  const own = new AbortController();
  const onAbort = () => own.abort();
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) own.abort();
  let isSilent = false;
  let activeAt = instantOf(clock);
  let cancel = () => {};
  return {
    signal: own.signal,
    get isSilent() {
      return isSilent;
    },
    get activeAt() {
      return activeAt;
    },
    activity() {
      activeAt = instantOf(clock);
      cancel();
      cancel = clock.after(silenceLimitMs, () => {
        isSilent = true;
        own.abort();
      });
    },
    end() {
      cancel();
      own.abort();
      signal.removeEventListener("abort", onAbort);
    },
  };
}

/** One watch. Never rejects. */
export async function watchOnce(options: WatchOptions): Promise<WatchEnd> {
  const { clock, path, signal, silenceLimitMs, onError, onEvent, onContact } = options;
  const limit = createSilenceLimit(options);
  let sawEvent = false;
  let isGarbage = false;
  const end = (error: unknown, heardAt = limit.activeAt): WatchEnd => ({
    error,
    sawEvent,
    isGarbage,
    heardAt,
  });
  try {
    const chunks = await open(options, limit.signal);
    limit.activity();
    onContact();
    for await (const read of eventsOf(chunks, options, limit.activity)) {
      if (signal.aborted) return end(undefined);
      isGarbage = true;
      const event = read();
      if (event.type === "ERROR") return end(event.error);
      isGarbage = false;
      if (event.type === "unknown") {
        onError(
          new ConnectionError("bad_response", `a watch of ${path} sent an event of type ${event.name}`),
        );
        continue;
      }
      sawEvent = true;
      onContact();
      onEvent(event.type === "BOOKMARK" ? event.resourceVersion : event);
    }
    return end(undefined, instantOf(clock));
  } catch (error) {
    if (signal.aborted) return end(undefined);
    if (!limit.isSilent) return end(error);
    // Servers send bookmarks only of resources that have ever had an event.
    if (!sawEvent) return end(undefined);
    const message = `a watch of ${path} was silent for ${String(silenceLimitMs)} ms`;
    return end(new ConnectionError("timeout", message, error));
  } finally {
    limit.end();
  }
}

function open(options: WatchOptions, signal: AbortSignal): Promise<ResponseStream> {
  const { client, path, protobuf, query, random, resourceVersion, watchMs } = options;
  const timeoutSeconds = Math.ceil((watchMs * (1 + random())) / 1000);
  const watch = { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds };
  const accept = protobuf === undefined ? {} : { accept: protobufOrJson };
  return client.stream({ path, query: { ...query, ...watch }, signal, ...accept });
}

/** What reads each event of a stream; it throws where an event is none. */
async function* eventsOf(
  stream: ResponseStream,
  { protobuf, maxItemBytes }: WatchOptions,
  onChunk: () => void,
): AsyncGenerator<() => WatchEvent, void, void> {
  const chunks = reporting(stream, onChunk);
  if (protobuf !== undefined && stream.mediaType === protobufMediaType)
    for await (const frame of framesOf(chunks, maxItemBytes)) yield () => readProtobufEvent(frame, protobuf);
  else for await (const line of linesOf(chunks, maxItemBytes)) yield () => readWatchEvent(line);
}

async function* reporting(
  chunks: AsyncIterable<Uint8Array>,
  onChunk: () => void,
): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of chunks) {
    onChunk();
    yield chunk;
  }
}
