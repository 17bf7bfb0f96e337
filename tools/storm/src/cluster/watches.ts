// The open watches of the API server, which end when it restarts.
import type { RenderedStream } from "@plimsoll/sandbox";
import type { ResponseSink } from "../network/server.ts";

export interface Watches {
  /** A stream of the server as one of the network. */
  readonly wrap: (run: RenderedStream["run"]) => (sink: ResponseSink) => void;
  /** Ends all that are open. */
  cut(): void;
}

export function createWatches(): Watches {
  const open = new Set<() => void>();
  return {
    wrap: (run) => (sink) => {
      const ended = new AbortController();
      const stop = () => {
        open.delete(finish);
        ended.abort();
      };
      const finish = () => {
        if (ended.signal.aborted) return;
        stop();
        sink.end();
      };
      open.add(finish);
      if (sink.signal.aborted) stop();
      else sink.signal.addEventListener("abort", stop, { once: true });
      run({ write: sink.write, finish, signal: ended.signal });
    },
    cut() {
      for (const finish of Array.from(open)) finish();
    },
  };
}
