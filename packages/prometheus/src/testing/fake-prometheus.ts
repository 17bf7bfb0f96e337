// A fake Prometheus server for tests.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Labels } from "../sample.ts";

/** A request as the fake saw it, query and form parameters together. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly parameters: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
}

/** Writes a response by hand, for faults that a status and a body cannot express. */
export type RawReply = (response: ServerResponse) => void;

/** What the fake server responds. */
export type FakeReply =
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly body: string | Uint8Array;
    }
  | RawReply;

/** Responds to one request. */
export type FakeHandler = (request: SeenRequest) => FakeReply | Promise<FakeReply>;

/** A scripted Prometheus on a real socket. */
export interface FakePrometheus {
  readonly url: string;
  /** Every request so far. */
  readonly requests: readonly SeenRequest[];
  /** Connections made so far. */
  readonly connections: number;
  /** Sockets open now. */
  openSockets(): number;
  handle(handler: FakeHandler): void;
  close(): Promise<void>;
}

/** Starts an HTTP server on 127.0.0.1 that responds as the handler says. */
export async function startFakePrometheus(handler: FakeHandler): Promise<FakePrometheus> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<object>();
  let connections = 0;
  let current = handler;
  const server = createServer((request, response) => {
    void serve(request, response, async (seen) => {
      requests.push(seen);
      return await current(seen);
    });
  });
  server.on("connection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get connections() {
      return connections;
    },
    openSockets: () => sockets.size,
    handle(next) {
      current = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  handler: FakeHandler,
): Promise<void> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  const url = new URL(request.url ?? "/", "http://fake");
  const parameters = new URLSearchParams([...url.searchParams, ...new URLSearchParams(body)]);
  const { method = "", headers } = request;
  const reply = await handler({ method, path: url.pathname, parameters, headers });
  if (typeof reply === "function") {
    reply(response);
    return;
  }
  response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
  response.end(reply.body);
}

/** A success response of the HTTP API. */
export function success(data: unknown, more: { warnings?: string[]; infos?: string[] } = {}): FakeReply {
  return { body: JSON.stringify({ status: "success", data, ...more }) };
}

/** A failure as Prometheus words it. */
export function failure(status: number, errorType: string, error: string): FakeReply {
  return { status, body: JSON.stringify({ status: "error", errorType, error }) };
}

/** A sample of a vector. */
export interface FakeSample {
  readonly labels: Labels;
  /** As in the response: "1.5", "NaN", "+Inf". */
  readonly value: string;
  readonly atSeconds?: number;
}

/** The body of an instant query with these samples. */
export function vector(samples: readonly FakeSample[], warnings: readonly string[] = []): FakeReply {
  const result = samples.map(({ labels, value, atSeconds }) => ({
    metric: labels,
    value: [atSeconds ?? 1_700_000_000, value],
  }));
  return success({ resultType: "vector", result }, warnings.length === 0 ? {} : { warnings: [...warnings] });
}
