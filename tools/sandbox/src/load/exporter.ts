// Serves the metrics of simulated pods.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Clock } from "@plimsoll/component-base";
import { limitConnections, localLimits, serverOptions } from "@plimsoll/component-base/process";
import { expositionContentType, renderExposition } from "./exposition.ts";
import type { LoadModel } from "./load-model.ts";

export interface ExporterOptions {
  readonly model: Pick<LoadModel, "collect">;
  readonly clock: Pick<Clock, "nowMs">;
  /** On 127.0.0.1; a free one by default. */
  readonly port?: number;
  /** Send the instant of each sample along, which makes rates exact but vanished series linger. */
  readonly withTimestamps?: boolean;
}

/** Serves the model's series at /metrics over HTTP. */
export interface Exporter {
  start(): Promise<{ readonly port: number; readonly url: string }>;
  stop(): Promise<void>;
}

export function createExporter(options: ExporterOptions): Exporter {
  let server: Server | undefined;

  const respond = (path: string, response: ServerResponse): void => {
    if (path.split("?")[0] !== "/metrics") {
      send(response, {
        code: 404,
        type: "text/plain; charset=utf-8",
        body: "Not found. The metrics are at /metrics.\n",
      });
      return;
    }
    try {
      const stamp = options.withTimestamps === true ? { timestampMs: options.clock.nowMs() } : {};
      send(response, {
        code: 200,
        type: expositionContentType,
        body: renderExposition(options.model.collect(), stamp),
      });
    } catch (error) {
      send(response, { code: 500, type: "text/plain; charset=utf-8", body: `${String(error)}\n` });
    }
  };

  return {
    async start() {
      const listening = createServer(serverOptions(localLimits.sandbox), (request, response) =>
        respond(request.url ?? "/", response),
      );
      limitConnections(listening, localLimits.sandbox);
      server = listening;
      await new Promise<void>((resolve, reject) => {
        listening.once("error", reject);
        listening.listen(options.port ?? 0, "127.0.0.1", resolve);
      });
      const { port } = listening.address() as AddressInfo;
      return { port, url: `http://127.0.0.1:${port}/metrics` };
    },
    async stop() {
      const closing = server;
      server = undefined;
      if (closing === undefined) return;
      await new Promise<void>((resolve) => {
        closing.close(() => resolve());
        closing.closeAllConnections();
      });
    },
  };
}

function send(response: ServerResponse, options: { code: number; type: string; body: string }): void {
  response.writeHead(options.code, {
    "content-type": options.type,
    "content-length": Buffer.byteLength(options.body),
  });
  response.end(options.body);
}
