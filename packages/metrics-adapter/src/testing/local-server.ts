// Serves the metrics APIs without a connection, for simulations.
import type { CacheMeter, Clock, Logger } from "@plimsoll/component-base";
import { createInFlightLimiter, requestLimits } from "@plimsoll/kube/serving";
import type { Engine } from "../backends/prometheus/engine.ts";
import { serve } from "../http/handler.ts";
import { openContext, type ReceivedRequest, type ResponseWriter } from "../http/request-context.ts";
import { createRouter } from "../http/routes.ts";
import { createApiStages } from "../http/stages/stages.ts";

interface LocalServerOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly log: Logger;
  readonly maxRequestsInFlight: number;
  /** Names of requests that bring none of their own. */
  readonly newId: () => string;
  readonly meter?: CacheMeter | undefined;
}

export interface LocalResponse {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** @param signal Aborts when the caller goes away: then the promise never resolves. */
export type LocalServer = (request: ReceivedRequest, signal?: AbortSignal) => Promise<LocalResponse>;

/** Passes requests through the stages of the metrics APIs, and collects their responses. */
export function createLocalServer(options: LocalServerOptions): LocalServer {
  const { engine, clock, log, meter, newId } = options;
  const handle = createApiStages({
    isAlwaysAllowed: () => false,
    router: createRouter({ engine, nowMs: () => clock.nowMs(), meter }),
    limiter: createInFlightLimiter({
      system: requestLimits.systemInFlight,
      metrics: options.maxRequestsInFlight,
      federated: 0,
    }),
    telemetry: { refused: () => {} },
    clock,
    meter,
  });
  return (request, signal) =>
    new Promise((resolve) => {
      const response = createWriter(resolve, signal);
      serve(openContext(request, response, { nowMs: clock.nowMs(), newId }), handle, log);
    });
}

/** Collects a response. */
function createWriter(
  done: (response: LocalResponse) => void,
  signal: AbortSignal | undefined,
): ResponseWriter {
  const closed = new Set<() => void>();
  let head: Omit<LocalResponse, "body"> | undefined;
  const close = (): void => {
    signal?.removeEventListener("abort", close);
    for (const run of closed) run();
    closed.clear();
  };
  signal?.addEventListener("abort", close, { once: true });
  return {
    get headersSent() {
      return head !== undefined;
    },
    get destroyed() {
      return signal?.aborted === true;
    },
    shouldKeepAlive: true,
    writeHead(code, headers) {
      const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""]] : []));
      head = { code, headers: Object.fromEntries(pairs) as Record<string, string> };
    },
    end(body) {
      if (head !== undefined) done({ ...head, body: body === undefined ? "" : body.toString() });
      close();
    },
    once: (_event, run) => closed.add(run),
    off: (_event, run) => closed.delete(run),
  };
}
