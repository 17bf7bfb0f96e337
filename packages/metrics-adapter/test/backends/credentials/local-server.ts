// A server on a real socket, which sees each request whole.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listen } from "@plimsoll/testbed/world";

export interface SeenRequest {
  readonly method: string;
  /** As on the request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface LocalServer {
  /** Without a path. */
  readonly url: string;
  readonly host: string;
}

/** Ends with the test. */
export async function startServer(
  handle: (request: SeenRequest, response: ServerResponse) => void,
): Promise<LocalServer> {
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url: target = "" } = request;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    handle({ method, target, headers, body: Buffer.concat(chunks).toString() }, response);
  };
  const server = createServer((request, response) => void serve(request, response));
  const { host } = await listen(server);
  return { url: `http://${host}`, host };
}

/** The body of a response of Prometheus. */
export function successOf(data: unknown): string {
  return JSON.stringify({ status: "success", data });
}
