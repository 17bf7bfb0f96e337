// Hands a stream of events on to the page, as fast as the page reads it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { securityHeaders } from "@plimsoll/component-base/page";
import { RequestError } from "./failure.ts";
import type { Idle } from "./idle.ts";

/**
 * A browser opens six connections to one host: were each tab's stream one of them, the seventh tab would wait for ever.
 * Tabs without a stream read the summary every 15 s.
 */
const maxStreams = 4;

export type OpenStream = (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

export interface Streams {
  /** Until one of the two ends. */
  send(request: IncomingMessage, response: ServerResponse, open: OpenStream): Promise<void>;
  /** Ends all. */
  end(): void;
}

export function createStreams(idle: Idle): Streams {
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
        else await pipeline(Readable.from(stream), response, { signal: abort.signal });
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
