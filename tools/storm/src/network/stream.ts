// The body of a streamed response on the network, as its client reads it.
import { ConnectionError } from "@plimsoll/kube";
import type { SimulatedProcess } from "../process/simulated-process.ts";
import type { Random } from "../random/random.ts";
import type { WatchFault } from "./faults.ts";
import type { ServerRequest, ServerResponse } from "./server.ts";
import type { Wire } from "./wire.ts";

/** Whose stream it is. */
export interface StreamOptions {
  readonly process: SimulatedProcess;
  readonly request: ServerRequest;
  /** Of the request. */
  readonly random: Random;
  readonly what: string;
  readonly signal: AbortSignal | undefined;
  /** What fails all that is open on a client that closes. */
  readonly open: Set<(error: Error) => void>;
}

/** Text under way. */
interface Packet {
  readonly atMs: number;
  text: string;
}

/** A reason of its own spares the stack trace of the default one. */
const gone = new Error("the client is gone");

const minTransitMs = 1;
const maxTransitMs = 3;

/** Starts the stream; a response without one is a body that ends. */
export function openStream(
  wire: Wire,
  response: ServerResponse,
  options: StreamOptions,
): AsyncIterable<Uint8Array> {
  const { process, signal, open, what } = options;
  if (!("stream" in response)) {
    const whole = createStreamBody(() => {});
    whole.push(response.body);
    whole.end();
    return whole.read();
  }
  const atServer = new AbortController();
  let isOver = false;
  const close = () => {
    if (isOver) return;
    isOver = true;
    wire.watches.delete(look);
    signal?.removeEventListener("abort", abort);
    open.delete(body.fail);
    forget();
    if (process.state === "killed") atServer.abort(gone);
    else wire.time.after(minTransitMs, () => atServer.abort(gone));
  };
  const body = createStreamBody(close);
  const way = createWay(wire, options, body);
  const abort = () =>
    body.fail(new ConnectionError("aborted", `${what}: aborted`, signal?.reason), "at once");
  const look = () => way.look();
  wire.watches.add(look);
  signal?.addEventListener("abort", abort);
  open.add(body.fail);
  const forget = process.onKill(close);
  look();
  response.stream({ write: way.write, end: way.end, signal: atServer.signal });
  return body.read();
}

/** The way from the server to the client: texts arrive in order. */
function createWay(wire: Wire, { process, request, random, what }: StreamOptions, body: StreamBody) {
  const { time } = wire;
  let fate: WatchFault | undefined;
  let isHalfOpen = false;
  let isEnded = false;
  let last: Packet | undefined;

  function arrival(): number {
    const delayMs = fate?.type === "delay" ? fate.ms : 0;
    return Math.max(last?.atMs ?? 0, time.nowMs + delayMs + random.between(minTransitMs, maxTransitMs));
  }

  function at(atMs: number, run: () => void): void {
    time.after(atMs - time.nowMs, () => {
      if (!isHalfOpen) process.deliver(run);
    });
  }

  return {
    write(written: string): void {
      if (isEnded || isHalfOpen) return;
      const text = altered(written, fate);
      if (text === "") return;
      const atMs = arrival();
      // Two texts that arrive together are one packet.
      if (last !== undefined && last.atMs === atMs) {
        last.text += text;
        return;
      }
      const packet = { atMs, text };
      last = packet;
      at(atMs, () => {
        if (last === packet) last = undefined;
        wire.onWatched?.(process, request, packet.text);
        body.push(packet.text);
      });
    },
    end(): void {
      if (isEnded) return;
      isEnded = true;
      at(arrival(), () => body.end());
    },
    look(): void {
      fate = wire.fateOfWatch(request, random);
      if (fate?.type === "half-open") isHalfOpen = true;
      if (fate?.type !== "cut" || isEnded) return;
      isEnded = true;
      at(arrival(), () => body.fail(new ConnectionError("reset", `${what}: other side closed`)));
    },
  };
}

/** Each line of a watch is one event. */
function altered(text: string, fate: WatchFault | undefined): string {
  if (fate?.type === "duplicates") return text + text;
  if (fate?.type !== "no-bookmarks" || !text.includes('"BOOKMARK"')) return text;
  return text
    .split(/(?<=\n)/)
    .filter((line) => !line.startsWith('{"type":"BOOKMARK"'))
    .join("");
}

/** Written by the network, read once. */
interface StreamBody {
  push(text: string): void;
  end(): void;
  /** The reader gets this error after what came before, or at once. */
  fail(error: Error, when?: "at once"): void;
  read(): AsyncGenerator<Uint8Array, void, void>;
}

/** `onClose` runs once: when it ended or failed, or when its reader leaves. */
function createStreamBody(onClose: () => void): StreamBody {
  const texts: string[] = [];
  let failure: Error | undefined;
  let isEnded = false;
  let wake = (): void => {};

  function finish(error?: Error): void {
    if (isEnded) return;
    isEnded = true;
    failure = error;
    onClose();
    wake();
  }

  return {
    push(text) {
      if (isEnded) return;
      texts.push(text);
      wake();
    },
    end: () => finish(),
    fail(error, when) {
      if (when === "at once") texts.length = 0;
      finish(error);
    },
    async *read() {
      try {
        for (;;) {
          const text = texts.shift();
          if (text !== undefined) yield Buffer.from(text);
          else if (failure !== undefined) throw failure;
          else if (isEnded) return;
          else await new Promise<void>((resolve) => (wake = resolve));
        }
      } finally {
        finish();
      }
    },
  };
}
