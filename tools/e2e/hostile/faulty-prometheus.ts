import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { PrometheusFault } from "./attack.ts";
import { createFaults } from "./faults.ts";

/** Stands before a real Prometheus and spoils what it returns for queries of some metrics. */
export interface FaultyPrometheus {
  readonly url: string;
  /** All faults from now on. */
  spoil(faults: readonly (readonly [metric: string, fault: PrometheusFault])[]): void;
}

export async function startFaultyPrometheus(upstream: string): Promise<FaultyPrometheus> {
  let wanted: readonly (readonly [metric: string, fault: PrometheusFault])[] = [];
  const { answers, slots } = createFaults();
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://prometheus");
    const promql = `${searchParams.get("query") ?? ""}${new URLSearchParams(body).get("query") ?? ""}`;
    if (!pathname.endsWith("/query")) return forward(upstream, { request, response, body });
    const fault = wanted.find(([metric]) => promql.includes(metric))?.[1];
    if (fault !== undefined && fault !== "keeps-running") return answers[fault](request, response);
    const free = await slots.take();
    // Nothing begins for a client that is gone; what has begun may go on without it.
    if (response.destroyed) return free();
    if (fault === "keeps-running") return slots.keep(free);
    try {
      await forward(upstream, { request, response, body });
    } finally {
      free();
    }
  };
  return {
    url: urlOf(server),
    spoil: (faults) => {
      wanted = faults;
      slots.freeKept();
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: string;
}

/** Prometheus sees it when the client hangs up. */
async function forward(upstream: string, { request, response, body }: Exchange): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const answer = await fetch(`${upstream}${request.url}`, {
      method: request.method ?? "GET",
      headers: { "content-type": request.headers["content-type"] ?? "application/json" },
      signal: gone.signal,
      ...(body === "" ? {} : { body }),
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    if (answer.body === null) response.end();
    else await pipeline(Readable.fromWeb(answer.body), response);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
