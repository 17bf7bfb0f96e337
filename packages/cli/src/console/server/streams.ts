// Hands a stream of events on to the page, as fast as the page reads it.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "@plimsoll/component-base";
import { securityHeaders } from "@plimsoll/component-base/page";
import { RequestError } from "./failure.ts";
import type { Idle } from "./idle.ts";

/**
 * A browser opens six connections to one host: were each tab's stream one of them, the seventh tab would wait for ever.
 * Tabs without a stream read the summary every 15 s.
 */
const maxStreams = 4;
/** A page whose connection takes nothing for so long gives its place to another one. */
const maxBlockedMs = 10_000;

export type OpenStream = (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

export interface Streams {
  /** Until one of the two ends. */
  send(request: IncomingMessage, response: ServerResponse, open: OpenStream): Promise<void>;
  /** Ends all. */
  end(): void;
}

export interface StreamsDeps {
  readonly idle: Idle;
  readonly clock: Pick<Clock, "after">;
  /** A page was disconnected because it did not keep up. */
  readonly onSlow: (reason: string) => void;
}

export function createStreams({ idle, clock, onSlow }: StreamsDeps): Streams {
  const all = new Set<AbortController>();
  return {
    async send(request, response, open) {
      if (all.size >= maxStreams)
        throw new RequestError(429, "TooManyRequests", `${maxStreams} pages have a stream already`);
      const abort = new AbortController();
      all.add(abort);
      const release = idle.hold();
      response.on("close", () => abort.abort());
      try {
        const stream = await open(abort.signal);
        response.writeHead(200, {
          ...securityHeaders,
          "Cache-Control": "no-store",
          "Content-Type": "text/event-stream",
        });
        response.flushHeaders();
        if (request.method === "HEAD") response.end();
        else await handOn(stream, response, { clock, onSlow, signal: abort.signal });
      } catch (error) {
        // What ends after its headers, the page opens again.
        if (!response.headersSent) throw error;
        response.destroy();
      } finally {
        abort.abort();
        all.delete(abort);
        release();
      }
    },
    end() {
      for (const abort of all) abort.abort();
    },
  };
}

interface HandOn extends Omit<StreamsDeps, "idle"> {
  readonly signal: AbortSignal;
}

/** What the page has not taken yet is at most one part: no other is read meanwhile, which slows its sender down. */
async function handOn(
  stream: AsyncIterable<Uint8Array>,
  response: ServerResponse,
  { clock, onSlow, signal }: HandOn,
): Promise<void> {
  for await (const part of stream) {
    if (signal.aborted) return;
    if (response.write(part)) continue;
    if (!(await isDrained(response, clock, signal))) {
      if (!signal.aborted)
        onSlow(`a page took nothing of its stream for ${maxBlockedMs / 1000} s and was disconnected`);
      response.destroy();
      return;
    }
  }
  response.end();
}

/** False: the page is gone, or takes too long. */
function isDrained(
  response: ServerResponse,
  clock: Pick<Clock, "after">,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isTaken: boolean) => (): void => {
      cancel();
      response.off("drain", drained);
      signal.removeEventListener("abort", gone);
      resolve(isTaken);
    };
    const [drained, gone] = [end(true), end(false)];
    const cancel = clock.after(maxBlockedMs, gone);
    response.once("drain", drained);
    signal.addEventListener("abort", gone, { once: true });
  });
}
