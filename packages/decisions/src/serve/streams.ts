// Event streams to a bounded number of readers that keep up.
import type { ServerResponse } from "node:http";
import { RequestError } from "./failure.ts";
import { type Exchange, setHeaders } from "./send.ts";

/** Who reads a stream. */
export interface StreamReader {
  /** The user, for the limit of one; empty where callers are not distinguished. */
  readonly name: string;
  /** Whether the reader may still see all of it; absent: always. */
  readonly isAllowed?: () => Promise<boolean>;
}

export interface Streams {
  readonly size: number;
  /** Takes a place until the response is closed; the signal is its end. @throws RequestError when there are too many */
  hold(response: ServerResponse, reader: StreamReader): AbortSignal;
  /** Sends the events as fast as they are read, until one of the two ends. */
  send(
    exchange: Exchange,
    reader: StreamReader,
    open: (signal: AbortSignal) => Promise<AsyncIterable<string | Uint8Array>>,
  ): Promise<void>;
  /** Resolves when the reader has taken what waits for it, or is gone. It is disconnected when it takes too long. */
  drained(response: ServerResponse): Promise<void>;
  /** Ends one: a reader that is behind has a while to take what waits for it. */
  end(response: ServerResponse): void;
  /** Ends all: who wants more connects again, maybe to another process. */
  endAll(): void;
}

export interface StreamsDeps {
  readonly clock: { after(delayMs: number, run: () => void): () => void };
  readonly most: number;
  readonly mostOfOne: number;
  /** A reader was disconnected because it did not keep up. */
  readonly onSlow: () => void;
}

const recheckMs = 60_000;
/** A reader is slow when its connection takes nothing in this time. */
export const maxBlockedMs = 10_000;

interface Held {
  readonly name: string;
  readonly signal: AbortSignal;
  /** Nothing is written after it. */
  readonly end: () => void;
}

export function createStreams(deps: StreamsDeps): Streams {
  const open = new Map<ServerResponse, Held>();
  const waits = new Map<ServerResponse, Promise<void>>();
  const hold: Streams["hold"] = (response, { name, isAllowed }) => {
    const own = name === "" ? 0 : [...open.values()].filter((one) => one.name === name).length;
    if (open.size >= deps.most || own >= deps.mostOfOne) throw tooMany(deps, open.size >= deps.most);
    const ended = new AbortController();
    const leave = (): void => {
      open.delete(response);
      ended.abort();
    };
    const end = (): void => {
      leave();
      response.once(
        "close",
        deps.clock.after(maxBlockedMs, () => response.destroy()),
      );
      response.end();
    };
    // Its end, which frees the place, may have been before.
    if (response.destroyed) leave();
    else open.set(response, { name, end, signal: ended.signal });
    response.once("close", leave);
    if (isAllowed !== undefined) recheck(isAllowed, end, { ...deps, signal: ended.signal });
    return ended.signal;
  };
  /** However many write to it. */
  const drained: Streams["drained"] = (response) => {
    const { signal = new AbortController().signal } = open.get(response) ?? {};
    const wait =
      waits.get(response) ?? whenDrained(response, { ...deps, signal }).finally(() => waits.delete(response));
    waits.set(response, wait);
    return wait;
  };
  return {
    get size() {
      return open.size;
    },
    hold,
    drained,
    end(response) {
      const { end = () => response.end() } = open.get(response) ?? {};
      end();
    },
    async send(exchange, reader, read) {
      const { request, response } = exchange;
      if (request.method === "HEAD") {
        setHeaders(response, "text/event-stream");
        response.end();
        return;
      }
      const signal = hold(response, reader);
      const parts = await read(signal);
      if (!signal.aborted) await sendParts(response, parts, { signal, drained });
    },
    endAll() {
      for (const { end } of open.values()) end();
    },
  };
}

type Sending = StreamsDeps & { readonly signal: AbortSignal };

async function sendParts(
  response: ServerResponse,
  parts: AsyncIterable<string | Uint8Array>,
  { signal, drained }: Pick<Sending, "signal"> & Pick<Streams, "drained">,
): Promise<void> {
  setHeaders(response, "text/event-stream", "no-cache, no-transform");
  response.setHeader("X-Accel-Buffering", "no");
  response.flushHeaders();
  try {
    for await (const part of parts) {
      if (signal.aborted || response.writableEnded) return;
      if (!response.write(part)) await drained(response);
      if (signal.aborted) return;
    }
    response.end();
  } catch {
    // What ends after its headers, the reader opens again.
    response.destroy();
  }
}

/** A review that fails ends the stream. */
function recheck(isAllowed: () => Promise<boolean>, end: () => void, sending: Sending): void {
  const { clock, signal } = sending;
  if (signal.aborted) return;
  const review = async (): Promise<void> => {
    signal.removeEventListener("abort", cancel);
    const may = await isAllowed().catch(() => false);
    if (may) recheck(isAllowed, end, sending);
    else if (!signal.aborted) end();
  };
  const cancel = clock.after(recheckMs, () => void review());
  signal.addEventListener("abort", cancel, { once: true });
}

/** Nothing is read for a reader that has not taken what it was sent. It is disconnected when it takes too long. */
function whenDrained(response: ServerResponse, { clock, signal, onSlow }: Sending): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      response.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(maxBlockedMs, () => {
      onSlow();
      response.destroy();
      done();
    });
    response.once("drain", done);
    signal.addEventListener("abort", done, { once: true });
  });
}

function tooMany({ most, mostOfOne }: StreamsDeps, isAll: boolean): RequestError {
  const message = isAll
    ? `there are ${most} streams already; read the summary instead`
    : `you have ${mostOfOne} streams already; read the summary instead`;
  return new RequestError({ code: 429, reason: "TooManyRequests", message });
}
