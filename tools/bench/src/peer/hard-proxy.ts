// A forward proxy in front of Prometheus that is as hard on its clients as some servers are.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";

export interface HardProxy {
  readonly port: number;
  stop(): Promise<void>;
}

/** More than the 10 seconds that a request may take by default. */
const listDelayMs = 11_000;
const warning =
  'receive series from Addr: 10.1.2.3:10901 LabelSets: {cluster="b"}: rpc error: code = Unavailable desc = connection error';

/** Responses are those of `prometheusUrl`, with the warning of a Thanos that lacks a store; lists of series come late. */
export async function startHardProxy(prometheusUrl: string): Promise<HardProxy> {
  const respond = async (
    request: IncomingMessage,
  ): Promise<{ readonly code: number; readonly body: string }> => {
    // A proxy gets the whole address.
    const { pathname, search } = new URL(request.url ?? "/");
    const sent = await text(request);
    if (!pathname.startsWith("/api/v1/query")) await wait(listDelayMs);
    const response = await fetch(`${prometheusUrl}${pathname}${search}`, {
      method: request.method ?? "GET",
      headers: { "content-type": request.headers["content-type"] ?? "text/plain" },
      ...(sent === "" ? {} : { body: sent }),
    });
    const body = await response.text();
    return { code: response.status, body: withWarning(body) };
  };
  const server = createServer((request, response) => {
    respond(request).then(
      ({ code, body }) => response.writeHead(code, { "content-type": "application/json" }).end(body),
      (error: unknown) => response.writeHead(502).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function withWarning(body: string): string {
  try {
    return JSON.stringify({ ...(JSON.parse(body) as object), warnings: [warning] });
  } catch {
    return body;
  }
}
